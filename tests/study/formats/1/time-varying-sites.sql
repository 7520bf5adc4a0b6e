BEGIN TRANSACTION;
CREATE TABLE steerbo_event (
	study VARCHAR(200) NOT NULL, 
	position INTEGER NOT NULL, 
	body TEXT NOT NULL, 
	checksum VARCHAR(64) NOT NULL, 
	PRIMARY KEY (study, position)
);
INSERT INTO "steerbo_event" VALUES('study',1,'{"budget":60.0,"fingerprint":{"blas":"openblas 0.3.30 SkylakeX, openblas 0.3.31.188.0 SkylakeX","machine":"x86_64","numpy":"2.4.6","python":"3.11.7","scipy":"1.17.1","steerbo":"0.1.0"},"format":1,"kind":"created","method":"prior-elimination","options":{"confidence":"theory","delta":0.1,"on_exhausted":"keep-last"},"problem":{"kind":"time-varying","minimize":false,"priors":[{"drift":{"epsilon":0.02,"kind":"decay"},"kernel":{"kind":"squared-exponential","lengthscale":0.1,"variance":1.0},"mean":{"base":0.0,"centres":[[0.1],[0.5],[0.9]],"heights":[0.3,0.1,0.1],"kind":"bumps","width":0.1},"name":"hill at 0.1","noise":0.1},{"drift":{"epsilon":0.02,"kind":"decay"},"kernel":{"kind":"squared-exponential","lengthscale":0.1,"variance":1.0},"mean":{"base":0.0,"centres":[[0.1],[0.5],[0.9]],"heights":[0.1,0.3,0.1],"kind":"bumps","width":0.1},"name":"hill at 0.5","noise":0.1},{"drift":{"epsilon":0.02,"kind":"decay"},"kernel":{"kind":"squared-exponential","lengthscale":0.1,"variance":1.0},"mean":{"base":0.0,"centres":[[0.1],[0.5],[0.9]],"heights":[0.1,0.1,0.3],"kind":"bumps","width":0.1},"name":"hill at 0.9","noise":0.1}],"variables":[{"high":1.0,"kind":"float","low":0.0,"name":"x","scale":"linear","step":0.05,"unit":""}]},"seed":5}','25bac2986b2d2f979fc01281a7803155e2c3f14a22a5bca9ce2c9088ef4be1fd');
INSERT INTO "steerbo_event" VALUES('study',2,'{"based_on":1,"kind":"asked","note":{"band":4.08159637469856,"mean":0.30006709252558045,"prior":1,"upper":4.381663467224141},"observe":[],"request":{"time":3.0},"round":1,"scope":["x"],"token":"1-351a","values":{"x":0.5}}','0caf085518647b3c14afca32f713dc25c6f0ea3e34ad50f9df9c1f41d117354e');
INSERT INTO "steerbo_event" VALUES('study',3,'{"kind":"told","outcome":{"cost":1.0,"realised":{"x":0.5},"value":-0.18303228321132667},"token":"1-351a"}','6b37471c81999f22885bbbdcc88a311631c9bab2e5963c7bb1a73fcfe2919b78');
INSERT INTO "steerbo_event" VALUES('study',4,'{"based_on":3,"kind":"asked","note":{"band":4.408175990856164,"mean":0.2999404402704994,"prior":0,"upper":4.708116431126664},"observe":[],"request":{"time":4.0},"round":2,"scope":["x"],"token":"2-351a","values":{"x":0.1}}','04161dcaaf9bd89b5cac3106f86213cfb667b1e760bd08ee02abfe8d416df17e');
INSERT INTO "steerbo_event" VALUES('study',5,'{"kind":"told","outcome":{"cost":1.0,"realised":{"x":0.1},"value":0.8222469755871242},"token":"2-351a"}','16fffa0062596aed0cb6e47ba0795436498ecc24da569d2da3f07dc3986752ad');
INSERT INTO "steerbo_event" VALUES('study',6,'{"based_on":5,"kind":"asked","note":{"band":4.588450278350345,"mean":0.29994314367880576,"prior":2,"upper":4.888393422029151},"observe":[],"request":{"time":7.0},"round":3,"scope":["x"],"token":"3-351a","values":{"x":0.9}}','3ebd9f253ab789346bd0d03c293a2470db276f3e4f3fa983c7677ebbfec23e39');
INSERT INTO "steerbo_event" VALUES('study',7,'{"kind":"told","outcome":{"cost":1.0,"realised":{"x":0.9},"value":0.6282172924765856},"token":"3-351a"}','109d88ffcb097dfaf2001bf5892252df3b7ce73331cb9e97d216c203325a6e10');
INSERT INTO "steerbo_event" VALUES('study',8,'{"based_on":7,"kind":"asked","note":{"band":4.4753929107741515,"mean":0.2513046193113433,"prior":0,"upper":4.726697530085495},"observe":[],"request":{"time":8.0},"round":4,"scope":["x"],"token":"4-351a","values":{"x":0.25}}','9b6e952dbb4d27828a443b0528a6c34aa4ed7be185f958473f17b331fc784dd2');
INSERT INTO "steerbo_event" VALUES('study',9,'{"cost":0.5,"kind":"failed","realised":{"x":0.25},"reason":"pump broke","token":"4-351a"}','a9aa630ff94faceca762702dc2bcd2f0c57416df3ae475930c17d23415ac3619');
INSERT INTO "steerbo_event" VALUES('study',10,'{"based_on":9,"kind":"asked","note":{"band":4.7280798695546995,"mean":0.06235894425304316,"prior":1,"upper":4.7903776825981685},"observe":[],"request":{"time":11.0},"round":5,"scope":["x"],"token":"5-351a","values":{"x":0.7}}','80b0baa2c584de962af3d9e9357d0dd8458186cbb6803507182e9aa466b40328');
INSERT INTO "steerbo_event" VALUES('study',11,'{"kind":"failed","realised":{"x":0.7},"reason":"no idea what it cost","token":"5-351a"}','1994a7a70a06f2a622982256baa6276e3311ffa14d11440099c2b4c1361f2ecd');
INSERT INTO "steerbo_event" VALUES('study',12,'{"based_on":11,"kind":"asked","note":{"band":4.055013450746544,"mean":0.47126714700444994,"prior":0,"upper":4.482573653578231},"observe":[],"request":{"time":12.0},"round":6,"scope":["x"],"token":"6-351a","values":{"x":0.0}}','6f244b59be898c4b25abb054ea384381ecda68a35572ef0c71d1f6faf201ddfe');
INSERT INTO "steerbo_event" VALUES('study',13,'{"kind":"abandoned","reason":"gone home","token":"6-351a"}','7da879eeb7abc8c330aa55771baa8392a43e40eae5871fb3158d1f008d4bced2');
INSERT INTO "steerbo_event" VALUES('study',14,'{"based_on":13,"kind":"asked","note":{"band":4.10714795590801,"mean":0.36379152336288073,"prior":2,"upper":4.461528048579881},"observe":[],"request":{"time":15.0},"round":7,"scope":["x"],"token":"7-351a","values":{"x":1.0}}','b2cacd74af8ebbb9fcdfecca11c35b6285f1f0a0cfdb22b0f18159aa57c40d2f');
INSERT INTO "steerbo_event" VALUES('study',15,'{"kind":"told","outcome":{"cost":1.0,"realised":{"x":1.0},"value":-0.11756243591931381},"token":"7-351a"}','1f2f4fd70445774f11b15dcf77b7b8f733c36de45edd96df7a0f989691d4df34');
INSERT INTO "steerbo_event" VALUES('study',16,'{"based_on":15,"kind":"asked","note":{"band":4.240119087118837,"mean":-0.06457649836064921,"prior":1,"upper":3.9157155416193823},"observe":[],"request":{"time":16.0},"round":8,"scope":["x"],"token":"8-351a","values":{"x":0.4}}','dd1f143845ade336458deb7af0acad553a8abc9befe5cac12067302923ff4eab');
INSERT INTO "steerbo_event" VALUES('study',17,'{"kind":"told","outcome":{"cost":1.0,"realised":{"x":0.4},"value":-0.19543426848356488},"token":"8-351a"}','7d6b958a9423ec7810e0f439d50002597a4ac785e6324119886d5403ed591bbf');
INSERT INTO "steerbo_event" VALUES('study',18,'{"based_on":17,"kind":"asked","note":{"band":4.141295670938647,"mean":0.4710153987554071,"prior":2,"upper":3.7861122813601638},"observe":[],"request":{"time":19.0},"round":9,"scope":["x"],"token":"9-351a","values":{"x":0.8}}','6e66d934661fe7eb6223933b97239d22cdc980f6a9447de161ae4d5363be2f36');
INSERT INTO "steerbo_event" VALUES('study',19,'{"kind":"told","outcome":{"cost":1.0,"realised":{"x":0.8},"value":0.541652677566082},"token":"9-351a"}','bc78d6f6bf3ebd20f9a6f4146a67cc76fe638352521e38088b089926ce77d020');
INSERT INTO "steerbo_event" VALUES('study',20,'{"kind":"amended","outcome":{"cost":1.5,"realised":{"x":0.8},"value":0.541652677566082},"reason":"","token":"9-351a"}','b2a598caca8c96ff80c490dd4ba4be8493ceaf7fafa841a8d4e3e9fdb529681c');
INSERT INTO "steerbo_event" VALUES('study',21,'{"kind":"amended","reason":"typo","token":"1-351a"}','e57a1575e38484aefcc834d84674fc17b2c5ddce14b83dda567a8c6b7d16ca1d');
INSERT INTO "steerbo_event" VALUES('study',22,'{"based_on":21,"kind":"asked","note":{"band":4.981816595158228,"mean":0.1576471103172274,"prior":1,"upper":3.547969517863916},"observe":[],"request":{"time":20.0},"round":10,"scope":["x"],"token":"10-351a","values":{"x":0.6}}','75e7c7d75afe55052592acdbea7f592acef3b7ea6d46306899afa308cd9bb448');
INSERT INTO "steerbo_event" VALUES('study',23,'{"kind":"told","outcome":{"cost":1.0,"realised":{"x":0.6},"value":-0.04236189109261859},"token":"10-351a"}','b2a79dfe850744e3bd916c1ada1e1ca7625e2678c6388ccf9f2c48036112482d');
INSERT INTO "steerbo_event" VALUES('study',24,'{"based_on":23,"kind":"asked","note":{"band":3.525805351691566,"mean":0.6331309394159714,"prior":0,"upper":3.613360188400378},"observe":[],"request":{"time":23.0},"round":11,"scope":["x"],"token":"11-351a","values":{"x":0.15}}','0e7b743173dd61daf2e9ba154c02d858f11da3d1bf9df2149de6278b6498439f');
INSERT INTO "steerbo_event" VALUES('study',25,'{"kind":"told","outcome":{"cost":1.0,"realised":{"x":0.15},"value":0.4850695914950119},"token":"11-351a"}','8c9e21843fa502496bddb24095f48ff6f1ef2398d678a0a59b282fa36f090103');
INSERT INTO "steerbo_event" VALUES('study',26,'{"based_on":25,"kind":"asked","note":{"band":2.5966741861443383,"mean":0.5310858505758154,"prior":2,"upper":3.1083538370084627},"observe":[],"request":{"time":24.0},"round":12,"scope":["x"],"token":"12-351a","values":{"x":0.9}}','85d7da6209b2c1145739c761adc0b238d5c3bbbaae40c8298f92460abfa74c74');
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
INSERT INTO "steerbo_study" VALUES('study',1,26,'85d7da6209b2c1145739c761adc0b238d5c3bbbaae40c8298f92460abfa74c74');
COMMIT;