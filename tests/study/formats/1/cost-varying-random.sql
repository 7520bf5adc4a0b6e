BEGIN TRANSACTION;
CREATE TABLE steerbo_event (
	study VARCHAR(200) NOT NULL, 
	position INTEGER NOT NULL, 
	body TEXT NOT NULL, 
	checksum VARCHAR(64) NOT NULL, 
	PRIMARY KEY (study, position)
);
INSERT INTO "steerbo_event" VALUES('study',1,'{"budget":50.0,"fingerprint":{"blas":"openblas 0.3.30 SkylakeX, openblas 0.3.31.188.0 SkylakeX","machine":"x86_64","numpy":"1.26.0","python":"3.11.7","scipy":"1.17.1","steerbo":"0.1.0"},"format":1,"kind":"created","method":"random","options":{},"problem":{"control_sets":[["ph"],["ph","t"]],"kind":"cost-varying","minimize":false,"variables":[{"high":8.0,"kind":"float","law":{"kind":"uniform"},"low":4.0,"name":"ph","scale":"linear","unit":""},{"high":1.0,"kind":"float","law":{"kind":"uniform"},"low":0.0,"name":"t","scale":"linear","unit":""}]},"seed":1}','8407fcb0d95bd6e8a66e2f76227a58a68deb85a75244d6a4af3bd5ed79385f8f');
INSERT INTO "steerbo_event" VALUES('study',2,'{"based_on":1,"kind":"asked","note":{"set":1},"observe":[],"request":{},"round":1,"scope":["ph","t"],"token":"1-78cc","values":{"ph":5.722924293288496,"t":0.9154155143731736}}','62c9d977be3d81aff5888319cd6482cc1a8a9f87277c93588af3c45f1b36142d');
INSERT INTO "steerbo_event" VALUES('study',3,'{"kind":"told","outcome":{"cost":1.0,"realised":{"ph":5.722924293288496,"t":0.9154155143731736},"value":1.0},"token":"1-78cc"}','29d78fbcc6c3d23b7f3f6626506c61337a81b8b3960f1ad3d3a17ba5184dd514');
INSERT INTO "steerbo_event" VALUES('study',4,'{"hyperparameters":{"objective":{"output":{"centre":"0x0.0p+0","offset":"0x1.0000000000000p+0","power":"0x1.0000000000000p+0","scale":"0x1.0000000000000p+0","spread":"0x1.0000000000000p+0"},"theta":["-0x1.3d3d0d9c235b7p+0","-0x1.3d3d0d9c235b7p+0","0x0.0p+0","0x0.0p+0","-0x1.26bb1bbb55515p+2"]}},"kind":"refitted","round":2}','91faaaba2ba66e68bb51077c49b1b61a7574d00b1fb056960d0092ee8bd2542e');
INSERT INTO "steerbo_event" VALUES('study',5,'{"based_on":4,"expected_cost":1.0,"kind":"asked","note":{"set":1},"observe":[],"request":{},"round":2,"scope":["ph","t"],"token":"2-78cc","values":{"ph":4.804458344360123,"t":0.4621395634860286}}','1f88cfa588d41d9118c0178959eb3c1ed28fa1583f532731573153f7c28ee8f6');
INSERT INTO "steerbo_event" VALUES('study',6,'{"kind":"told","outcome":{"cost":1.0,"realised":{"ph":4.804458344360123,"t":0.4621395634860286},"value":2.0},"token":"2-78cc"}','1ec18f08e1c8c2121a855574cbc6ae89ea9f460ce88fcbc95ad7c1f8cd7b531c');
INSERT INTO "steerbo_event" VALUES('study',7,'{"hyperparameters":{"objective":{"output":{"centre":"0x0.0p+0","offset":"0x1.8000000000000p+0","power":"0x1.0000000000000p+0","scale":"0x1.0000000000000p-1","spread":"0x1.0000000000000p+0"},"theta":["-0x1.4aa84d9c8c9bfp+0","-0x1.bdcd5a57b0a64p+0","0x1.010069fd7da26p-6","0x1.6a510931060ccp-36","-0x1.7ffae28ba49d2p+2"]}},"kind":"refitted","round":3}','bb3f0e0bdde0f748966e6a5d18297f73025eeb5614e647951330e4505713eb55');
INSERT INTO "steerbo_event" VALUES('study',8,'{"based_on":7,"kind":"asked","note":{"set":0},"observe":[],"request":{},"round":3,"scope":["ph"],"token":"3-78cc","values":{"ph":6.604339306081483}}','ed7606f9027173776da58e455c8d91bdd4b3c24a8e7b52ec7597c4b19059fba2');
INSERT INTO "steerbo_event" VALUES('study',9,'{"kind":"told","outcome":{"cost":1.0,"realised":{"ph":6.604339306081483,"t":0.5},"value":3.0},"token":"3-78cc"}','25171e68ef3eea837823d994b4d63e7629df1910e487cc985fd848c388f6466c');
INSERT INTO "steerbo_event" VALUES('study',10,'{"kind":"amended","outcome":{"cost":1.0,"realised":{"ph":5.722924293288496,"t":0.9154155143731736},"value":1.5},"reason":"typo","token":"1-78cc"}','58bcdad6b9e8dda19537b1b8bc2b4c215167a5a0ff4e8b28b28f93bd90a8710f');
INSERT INTO "steerbo_event" VALUES('study',11,'{"hyperparameters":{"objective":{"output":{"centre":"0x0.0p+0","offset":"0x1.1555555555555p+1","power":"0x1.0000000000000p+0","scale":"0x1.3f49c0b9ad4dbp-1","spread":"0x1.0000000000000p+0"},"theta":["-0x1.b19165d0a635ap+0","-0x1.c6a4917053a83p+0","0x1.81d491c2a77c8p-6","-0x1.54b9abe5021bfp-7","-0x1.7ff6a39ed6104p+2"]}},"kind":"refitted","round":4}','354a37a3b2270e69fa27838592e67ee5f87a9cda59382019cbd522681be2d430');
INSERT INTO "steerbo_event" VALUES('study',12,'{"based_on":11,"expected_cost":1.0,"kind":"asked","note":{"set":0},"observe":[],"request":{},"round":4,"scope":["ph"],"token":"4-78cc","values":{"ph":4.456154144926409}}','9ee190952797358be462725f3f44a443aabf887febd9f83714305fec91d03b04');
INSERT INTO "steerbo_event" VALUES('study',13,'{"cost":1.0,"kind":"failed","realised":{"ph":4.456154144926409},"reason":"the pump broke","token":"4-78cc"}','6106be713d79c9aa40c19e833878bd7e464817ae794f68c357b0e41a1f1a14c6');
INSERT INTO "steerbo_event" VALUES('study',14,'{"based_on":13,"expected_cost":1.0,"kind":"asked","note":{"set":0},"observe":[],"request":{},"round":5,"scope":["ph"],"token":"5-78cc","values":{"ph":5.887881904598271}}','ae524926f491c427fa172384a80e74f7ffb6edc2ddf1d4b2135ff50035a9e3e7');
INSERT INTO "steerbo_event" VALUES('study',15,'{"kind":"abandoned","reason":"the lab closed","token":"5-78cc"}','386f29c99077f96806339c9b9efee0f031261906a446c076baf60edef2dfb599');
INSERT INTO "steerbo_event" VALUES('study',16,'{"kind":"added","outcome":{"realised":{"ph":5.0,"t":0.2},"value":0.5}}','af3e9520809bee88940f1bc396cacb5deb81d94f4e272c19c8e2999dac09f7a0');
INSERT INTO "steerbo_event" VALUES('study',17,'{"hyperparameters":{"objective":{"output":{"centre":"0x0.0p+0","offset":"0x1.bffffffffffffp+0","power":"0x1.0000000000000p+0","scale":"0x1.cd82b446159f3p-1","spread":"0x1.0000000000000p+0"},"theta":["-0x1.fa207385345e6p-1","-0x1.02a06091c097bp+1","0x1.3348fc9c008c6p-6","-0x1.7dcfb86a29315p-4","-0x1.800d7a1544af4p+2"]}},"kind":"refitted","round":6}','d5306fe8424b8dbc653fad3aa0fecac0c3df884875af0293826f5f6c1c0d815b');
INSERT INTO "steerbo_event" VALUES('study',18,'{"based_on":17,"expected_cost":1.0,"kind":"asked","note":{"set":1},"observe":[],"request":{},"round":6,"scope":["ph","t"],"token":"6-78cc","values":{"ph":4.0565029692911665,"t":0.915349471603165}}','bba14b7087df50e3ed74c8d2df7265a636732305a2776cdeaecd4d2be07299e1');
CREATE TABLE steerbo_lease (
	study VARCHAR(200) NOT NULL, 
	token VARCHAR(200) NOT NULL, 
	holder TEXT NOT NULL, 
	until FLOAT, 
	lapses INTEGER NOT NULL, 
	PRIMARY KEY (study, token)
);
CREATE TABLE steerbo_study (
	study VARCHAR(200) NOT NULL, 
	format INTEGER NOT NULL, 
	events INTEGER NOT NULL, 
	tip VARCHAR(64) NOT NULL, 
	PRIMARY KEY (study)
);
INSERT INTO "steerbo_study" VALUES('study',1,18,'bba14b7087df50e3ed74c8d2df7265a636732305a2776cdeaecd4d2be07299e1');
COMMIT;
