BEGIN TRANSACTION;
CREATE TABLE steerbo_event (
	study VARCHAR(200) NOT NULL, 
	position INTEGER NOT NULL, 
	body TEXT NOT NULL, 
	checksum VARCHAR(64) NOT NULL, 
	PRIMARY KEY (study, position)
);
INSERT INTO "steerbo_event" VALUES('study',1,'{"budget":60.0,"fingerprint":{"blas":"openblas 0.3.30 SkylakeX, openblas 0.3.31.188.0 SkylakeX","machine":"x86_64","numpy":"2.4.6","python":"3.11.7","scipy":"1.17.1","steerbo":"0.1.0"},"format":2,"kind":"created","method":"tempered-elimination","options":{"confidence":1.5,"delta":0.1,"on_exhausted":"keep-last","temper":0.5},"problem":{"kind":"time-varying","minimize":false,"priors":[{"drift":{"epsilon":0.02,"kind":"decay"},"kernel":{"kind":"squared-exponential","lengthscale":0.1,"variance":1.0},"mean":{"base":0.0,"centres":[[0.1],[0.5],[0.9]],"heights":[0.3,0.1,0.1],"kind":"bumps","width":0.1},"name":"hill at 0.1","noise":0.1},{"drift":{"epsilon":0.02,"kind":"decay"},"kernel":{"kind":"squared-exponential","lengthscale":0.1,"variance":1.0},"mean":{"base":0.0,"centres":[[0.1],[0.5],[0.9]],"heights":[0.1,0.3,0.1],"kind":"bumps","width":0.1},"name":"hill at 0.5","noise":0.1},{"drift":{"epsilon":0.02,"kind":"decay"},"kernel":{"kind":"squared-exponential","lengthscale":0.1,"variance":1.0},"mean":{"base":0.0,"centres":[[0.1],[0.5],[0.9]],"heights":[0.1,0.1,0.3],"kind":"bumps","width":0.1},"name":"hill at 0.9","noise":0.1}],"variables":[{"high":1.0,"kind":"float","low":0.0,"name":"x","scale":"linear","unit":""}]},"seed":5}','629b0cbd25b0ced229f05ba2c799b983ae0d61db23156f880c015ecb71e6c5e6');
INSERT INTO "steerbo_event" VALUES('study',2,'{"based_on":1,"kind":"asked","note":{"band":1.5,"mean":0.3000670925255801,"prior":1,"upper":1.8000670925255802},"observe":[],"request":{"time":3.0},"round":1,"scope":{"keep":[],"look":{},"set":["x"]},"token":"1-0097","values":{"x":0.5000000048431162}}','6228fbe852faa8f4b7d7e80f41f1c5abec8ddbafe78530a41b3490feed31a516');
INSERT INTO "steerbo_event" VALUES('study',3,'{"kind":"told","outcome":{"cost":1.0,"realised":{"x":0.5000000048431162},"value":-0.1830322856555813},"token":"1-0097"}','c7d8ead44c20a5b42729cf725c26121f75df06145477b4b0adb4b3e421cad486');
INSERT INTO "steerbo_event" VALUES('study',4,'{"based_on":3,"expected_cost":1.0,"kind":"asked","note":{"band":1.4999999186241868,"mean":0.299940534602675,"prior":0,"upper":1.7999404532268617},"observe":[],"request":{"time":4.0},"round":2,"scope":{"keep":[],"look":{},"set":["x"]},"token":"2-0097","values":{"x":0.09992060447556358}}','602b0c2e9adbc759e765ac644abfb9082689eeb3dbecc4a8fb45990866aa42fb');
INSERT INTO "steerbo_event" VALUES('study',5,'{"kind":"told","outcome":{"cost":1.0,"realised":{"x":0.09992060447556358},"value":0.8220844504268802},"token":"2-0097"}','c3eeb80c42cdb25e13c87d2f75a030429082fd6e383ce3c280b9882db3859289');
INSERT INTO "steerbo_event" VALUES('study',6,'{"based_on":5,"expected_cost":1.0,"kind":"asked","note":{"band":1.4999999233876138,"mean":0.2999432298760457,"prior":2,"upper":1.7999431532636594},"observe":[],"request":{"time":7.0},"round":3,"scope":{"keep":[],"look":{},"set":["x"]},"token":"3-0097","values":{"x":0.9000757973294348}}','77b3521eb5bf3b4f0977d589323a36f8c81c6b4c67c736f91eeda8e92e16fce4');
INSERT INTO "steerbo_event" VALUES('study',7,'{"kind":"told","outcome":{"cost":1.0,"realised":{"x":0.9000757973294348},"value":0.6280397365271185},"token":"3-0097"}','1e9ab1f4f7eb1e6ab7be77e456d51b25b54ddc165663d0d157738afc9611db38');
INSERT INTO "steerbo_event" VALUES('study',8,'{"charge":true,"kind":"added","outcome":{"cost":2.0,"realised":{"time":1.5,"x":0.4},"value":0.6280397365271185},"scope":{"keep":[],"look":{},"set":["x"]}}','d80441dd898f75702c19e2e86a5ffba2a60d8f9c72a5d83ada626d4dea51a456');
INSERT INTO "steerbo_event" VALUES('study',9,'{"charge":false,"kind":"added","outcome":{"cost":7.0,"realised":{"time":1.5,"x":0.4},"value":0.6280397365271185},"scope":{"keep":[],"look":{},"set":["x"]}}','82228c230bbbe576d954f4330a954c7e975b9dc91fae8ca3d11fc6d9c17de571');
INSERT INTO "steerbo_event" VALUES('study',10,'{"based_on":9,"expected_cost":2.4,"kind":"asked","note":{"band":1.329929565852138,"mean":0.5581448828717966,"prior":0,"upper":1.8880744487239345},"observe":[],"request":{"time":8.0},"round":4,"scope":{"keep":[],"look":{},"set":["x"]},"token":"4-0097","values":{"x":0.24829837039540606}}','43634025fa51b97604be7a5ad765484d9c66a9017da6bd2396db548f9f131aab');
INSERT INTO "steerbo_event" VALUES('study',11,'{"cost":0.5,"kind":"failed","realised":{"x":0.24829837039540606},"reason":"the pump broke","token":"4-0097"}','02fe4f3ebb0596b570cf083010a2c1d1b09b2952627cae144efc4cee4bd9c881');
INSERT INTO "steerbo_event" VALUES('study',12,'{"based_on":11,"expected_cost":2.0833333333333335,"kind":"asked","note":{"band":1.239879858427769,"mean":0.4680605829819964,"prior":0,"upper":1.6878998288077416},"observe":[],"request":{"time":11.0},"round":5,"scope":{"keep":[],"look":{},"set":["x"]},"token":"5-0097","values":{"x":0.0}}','1984b3af6cd4bd9a6ec13ded6c2c7cf19bf3420435b45cd4af1b8fdd075538df');
INSERT INTO "steerbo_event" VALUES('study',13,'{"charge":1.0,"kind":"failed","realised":{"x":0.0},"reason":"nobody knows what it cost","token":"5-0097"}','f90697797f1774b4b0ba4348180659f1a2c6b74ac512ad178683d09de2169d00');
INSERT INTO "steerbo_event" VALUES('study',14,'{"based_on":13,"expected_cost":2.0833333333333335,"kind":"asked","note":{"band":1.3486920130243871,"mean":0.2654157540690365,"prior":2,"upper":1.6140920516046973},"observe":[],"request":{"time":12.0},"round":6,"scope":{"keep":[],"look":{},"set":["x"]},"token":"6-0097","values":{"x":0.7757911627956822}}','30176658b132d9f693c692735f9ec9754ff7ae21229fc8e43292ae4b81c1214c');
INSERT INTO "steerbo_event" VALUES('study',15,'{"kind":"abandoned","reason":"gone home","token":"6-0097"}','5c8f65e6db3fe68824bd47edd45fc1909df39fcd94ad6d20c9be6795bdde9000');
INSERT INTO "steerbo_event" VALUES('study',16,'{"based_on":15,"expected_cost":2.0833333333333335,"kind":"asked","note":{"band":1.2456780542364299,"mean":0.36394393754327053,"prior":2,"upper":1.5792540041472642},"observe":[],"request":{"time":15.0},"round":7,"scope":{"keep":[],"look":{},"set":["x"]},"token":"7-0097","values":{"x":1.0}}','deaaf91c2270b203b398cb10cfb21312b4f55b94fd5e18309a60a24007502433');
INSERT INTO "steerbo_event" VALUES('study',17,'{"kind":"told","outcome":{"cost":1.0,"realised":{"x":1.0},"value":-0.11756243591931381},"token":"7-0097"}','0589a0a94bb0b2fc3b3186ffe98748775b3ae3e650a2acd0f34c253b635ba745');
INSERT INTO "steerbo_event" VALUES('study',18,'{"based_on":17,"expected_cost":1.9285714285714286,"kind":"asked","note":{"band":0.8318009217915563,"mean":0.7327160119369944,"prior":0,"upper":1.482309008945684},"observe":[],"request":{"time":16.0},"round":8,"scope":{"keep":[],"look":{},"set":["x"]},"token":"8-0097","values":{"x":0.13392340855536175}}','4217250d0a66670ca2d2125e686435de3d9f09b9408850fed33b32fa56f20bb1');
INSERT INTO "steerbo_event" VALUES('study',19,'{"kind":"told","outcome":{"cost":1.0,"realised":{"x":0.13392340855536175},"value":0.6456110693347449},"token":"8-0097"}','9bc109627dcb9baa717248695200470fd4b68819aa72fd93b66d4d279eca5d4e');
INSERT INTO "steerbo_event" VALUES('study',20,'{"based_on":19,"expected_cost":1.8125,"kind":"asked","note":{"band":0.9620878251949775,"mean":0.6254115234468196,"prior":1,"upper":1.4715026382887024},"observe":[],"request":{"time":19.0},"round":9,"scope":{"keep":[],"look":{},"set":["x"]},"token":"9-0097","values":{"x":0.3488745376389262}}','7b8ebb83fb78cc7480417078933074b9fbff4e7bbc35acb356b7b164593d615d');
INSERT INTO "steerbo_event" VALUES('study',21,'{"kind":"told","outcome":{"cost":1.0,"realised":{"x":0.3488745376389262},"value":-0.29812765933765123},"token":"9-0097"}','a16a98d9a4986227762c6ebcaae5627ca34f14188a5ee919718cb68ba063e693');
INSERT INTO "steerbo_event" VALUES('study',22,'{"kind":"amended","outcome":{"cost":1.5,"realised":{"x":0.3488745376389262},"value":-0.29812765933765123},"reason":"","token":"9-0097"}','a3c382eb27cc78d7928bd4c30e9ec37f1e95f5c936c53848c8d8357572aefeca');
INSERT INTO "steerbo_event" VALUES('study',23,'{"kind":"amended","reason":"typo","token":"1-0097"}','55f19d7dce0c0c017fe83e0fef0985b64c907cf7fb685340c27ad06649e9583b');
INSERT INTO "steerbo_event" VALUES('study',24,'{"based_on":23,"expected_cost":1.7777777777777777,"kind":"asked","note":{"band":1.490965339400536,"mean":0.27779920026859645,"prior":1,"upper":1.4993915433627802},"observe":[],"request":{"time":20.0},"round":10,"scope":{"keep":[],"look":{},"set":["x"]},"token":"10-0097","values":{"x":0.6077918043556777}}','887740b231062e88f25bf0e1168586e0c43415088e7af38a11162b129c22e85e');
INSERT INTO "steerbo_event" VALUES('study',25,'{"kind":"told","outcome":{"cost":1.0,"realised":{"x":0.6077918043556777},"value":-0.021571128177797716},"token":"10-0097"}','724e8350916121dc4861d319be59c82b0cbb12d3827442baa0c639fbbfa0f052');
INSERT INTO "steerbo_event" VALUES('study',26,'{"based_on":25,"expected_cost":1.7,"kind":"asked","note":{"band":0.9014588583163188,"mean":0.7017238674284972,"prior":0,"upper":1.3989022408985738},"observe":[],"request":{"time":23.0},"round":11,"scope":{"keep":[],"look":{},"set":["x"]},"token":"11-0097","values":{"x":0.0673986159423231}}','be748af1544508784342103f70a9fd7f7f5ec1d58c042b1cdb7c7426436ee86b');
INSERT INTO "steerbo_event" VALUES('study',27,'{"kind":"told","outcome":{"cost":1.0,"realised":{"x":0.0673986159423231},"value":0.667528957466113},"token":"11-0097"}','3e9c6d6b8a4a054cf569b70b15e431895ef0486f64272d82f57cb26d66c92af2');
INSERT INTO "steerbo_event" VALUES('study',28,'{"based_on":27,"expected_cost":1.6363636363636365,"kind":"asked","note":{"band":0.9300454491158188,"mean":0.5843621658721745,"prior":2,"upper":1.4058112000573484},"observe":[],"request":{"time":24.0},"round":12,"scope":{"keep":[],"look":{},"set":["x"]},"token":"12-0097","values":{"x":0.8614007082823483}}','63c327276283b71a7f5191f7033f32db85225c62224575ba3381cc74d592b08e');
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
INSERT INTO "steerbo_study" VALUES('study',2,28,'63c327276283b71a7f5191f7033f32db85225c62224575ba3381cc74d592b08e');
COMMIT;
