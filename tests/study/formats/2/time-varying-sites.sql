BEGIN TRANSACTION;
CREATE TABLE steerbo_event (
	study VARCHAR(200) NOT NULL, 
	position INTEGER NOT NULL, 
	body TEXT NOT NULL, 
	checksum VARCHAR(64) NOT NULL, 
	PRIMARY KEY (study, position)
);
INSERT INTO "steerbo_event" VALUES('study',1,'{"budget":60.0,"fingerprint":{"blas":"openblas 0.3.30 SkylakeX, openblas 0.3.31.188.0 SkylakeX","machine":"x86_64","numpy":"2.4.6","python":"3.11.7","scipy":"1.17.1","steerbo":"0.1.0"},"format":2,"kind":"created","method":"prior-elimination","options":{"confidence":"theory","delta":0.1,"on_exhausted":"keep-last"},"problem":{"kind":"time-varying","minimize":false,"priors":[{"drift":{"epsilon":0.02,"kind":"decay"},"kernel":{"kind":"squared-exponential","lengthscale":0.1,"variance":1.0},"mean":{"base":0.0,"centres":[[0.1],[0.5],[0.9]],"heights":[0.3,0.1,0.1],"kind":"bumps","width":0.1},"name":"hill at 0.1","noise":0.1},{"drift":{"epsilon":0.02,"kind":"decay"},"kernel":{"kind":"squared-exponential","lengthscale":0.1,"variance":1.0},"mean":{"base":0.0,"centres":[[0.1],[0.5],[0.9]],"heights":[0.1,0.3,0.1],"kind":"bumps","width":0.1},"name":"hill at 0.5","noise":0.1},{"drift":{"epsilon":0.02,"kind":"decay"},"kernel":{"kind":"squared-exponential","lengthscale":0.1,"variance":1.0},"mean":{"base":0.0,"centres":[[0.1],[0.5],[0.9]],"heights":[0.1,0.1,0.3],"kind":"bumps","width":0.1},"name":"hill at 0.9","noise":0.1}],"variables":[{"high":1.0,"kind":"float","low":0.0,"name":"x","scale":"linear","step":0.05,"unit":""}]},"seed":5}','f33d712d36b46b32e33ac8a6e5d25bbd5fe3552850969825fddb3f2a627d0ae2');
INSERT INTO "steerbo_event" VALUES('study',2,'{"based_on":1,"kind":"asked","note":{"band":4.08159637469856,"mean":0.30006709252558045,"prior":1,"upper":4.381663467224141},"observe":[],"request":{"time":3.0},"round":1,"scope":{"keep":[],"look":{},"set":["x"]},"token":"1-351a","values":{"x":0.5}}','16f2923618e613e3b966baca8c8239d289e96210452964b0cc33aa7b4a7651c8');
INSERT INTO "steerbo_event" VALUES('study',3,'{"kind":"told","outcome":{"cost":1.0,"realised":{"x":0.5},"value":-0.18303228321132667},"token":"1-351a"}','5a4f99319836f5f202e1307a59e33e59dcc9ef571342be074910918505a6a3f4');
INSERT INTO "steerbo_event" VALUES('study',4,'{"based_on":3,"expected_cost":1.0,"kind":"asked","note":{"band":4.408175990856164,"mean":0.2999404402704994,"prior":0,"upper":4.708116431126664},"observe":[],"request":{"time":4.0},"round":2,"scope":{"keep":[],"look":{},"set":["x"]},"token":"2-351a","values":{"x":0.1}}','c4c2a1db2ce3ac80084c0082eceba1c59b3bf18417c4e04f2223cafaff6d283b');
INSERT INTO "steerbo_event" VALUES('study',5,'{"kind":"told","outcome":{"cost":1.0,"realised":{"x":0.1},"value":0.8222469755871242},"token":"2-351a"}','bfe6f443f6e29afc55068a635c82fa62976f912bf8d889e5d3193e39ea285bb9');
INSERT INTO "steerbo_event" VALUES('study',6,'{"based_on":5,"expected_cost":1.0,"kind":"asked","note":{"band":4.588450278350345,"mean":0.29994314367880576,"prior":2,"upper":4.888393422029151},"observe":[],"request":{"time":7.0},"round":3,"scope":{"keep":[],"look":{},"set":["x"]},"token":"3-351a","values":{"x":0.9}}','0dcbad3eff253bfae4fc639a7c986161f2f0d54b88143cf01b786b6820c15056');
INSERT INTO "steerbo_event" VALUES('study',7,'{"kind":"told","outcome":{"cost":1.0,"realised":{"x":0.9},"value":0.6282172924765856},"token":"3-351a"}','a8eafc25942945a92f871d01367cabd04a0e5cfdf7c56d33218b812984241a31');
INSERT INTO "steerbo_event" VALUES('study',8,'{"charge":true,"kind":"added","outcome":{"cost":2.0,"realised":{"time":1.5,"x":0.4},"value":0.6282172924765856},"scope":{"keep":[],"look":{},"set":["x"]}}','6eecd1a9a3bf758b2d82ac632e4fbf085bdccea32e3ee833f53cb93e6af61176');
INSERT INTO "steerbo_event" VALUES('study',9,'{"charge":false,"kind":"added","outcome":{"cost":7.0,"realised":{"time":1.5,"x":0.4},"value":0.6282172924765856},"scope":{"keep":[],"look":{},"set":["x"]}}','97efbb5448dd205f5ddce49de229f8253e21fe9abd32105fe8fd3264ee867101');
INSERT INTO "steerbo_event" VALUES('study',10,'{"based_on":9,"expected_cost":2.4,"kind":"asked","note":{"band":4.175216301086121,"mean":0.5590230970935594,"prior":0,"upper":4.734239398179681},"observe":[],"request":{"time":8.0},"round":4,"scope":{"keep":[],"look":{},"set":["x"]},"token":"4-351a","values":{"x":0.25}}','22281433648927464d9621011d5629548014069fd4c982321411b768ea40f934');
INSERT INTO "steerbo_event" VALUES('study',11,'{"cost":0.5,"kind":"failed","realised":{"x":0.25},"reason":"the pump broke","token":"4-351a"}','cf87e0459d1862280a4097e00079a8a4c04e0ee5c3fbed325c2af825b0338917');
INSERT INTO "steerbo_event" VALUES('study',12,'{"based_on":11,"expected_cost":2.0833333333333335,"kind":"asked","note":{"band":4.562845582147016,"mean":0.16730944579839874,"prior":2,"upper":4.729995974436993},"observe":[],"request":{"time":11.0},"round":5,"scope":{"keep":[],"look":{},"set":["x"]},"token":"5-351a","values":{"x":0.75}}','411916a09563c9193677a6b8f025a335488370e9b8d65e787c39512f1a728c17');
INSERT INTO "steerbo_event" VALUES('study',13,'{"charge":1.0,"kind":"failed","realised":{"x":0.75},"reason":"nobody knows what it cost","token":"5-351a"}','79e2102a4f0bda48de5bf9b8f310fa3417c6e6648a498125ebebb750cada2be9');
INSERT INTO "steerbo_event" VALUES('study',14,'{"based_on":13,"expected_cost":2.0833333333333335,"kind":"asked","note":{"band":4.054872471529845,"mean":0.46503384110859336,"prior":0,"upper":4.472729614605949},"observe":[],"request":{"time":12.0},"round":6,"scope":{"keep":[],"look":{},"set":["x"]},"token":"6-351a","values":{"x":0.0}}','cfd319a71fd1216bbe2f7cfc9e08851db840658e82ff01da44830ca08af737be');
INSERT INTO "steerbo_event" VALUES('study',15,'{"kind":"abandoned","reason":"gone home","token":"6-351a"}','65816d51aa9ca5a188e6dc84c9554f9f35cfe89561b68c9bf867f31c83b69f15');
INSERT INTO "steerbo_event" VALUES('study',16,'{"based_on":15,"expected_cost":2.0833333333333335,"kind":"asked","note":{"band":4.107147908703383,"mean":0.3639048702365032,"prior":2,"upper":4.4267589618762875},"observe":[],"request":{"time":15.0},"round":7,"scope":{"keep":[],"look":{},"set":["x"]},"token":"7-351a","values":{"x":1.0}}','f87488fb418763bbb14f61a1234eba19dc7a6b2f791351c9819783a7d2b6aa5a');
INSERT INTO "steerbo_event" VALUES('study',17,'{"kind":"told","outcome":{"cost":1.0,"realised":{"x":1.0},"value":-0.11756243591931381},"token":"7-351a"}','92a23a135123073d44c02001f22aed6cf086c9ca8ec466bb195c8d05d3e6c373');
INSERT INTO "steerbo_event" VALUES('study',18,'{"based_on":17,"expected_cost":1.9285714285714286,"kind":"asked","note":{"band":4.718747088237342,"mean":-0.1449017543823492,"prior":1,"upper":3.596538139077194},"observe":[],"request":{"time":16.0},"round":8,"scope":{"keep":[],"look":{},"set":["x"]},"token":"8-351a","values":{"x":0.65}}','1f1dd5ec6d05a446735ae7dbf8add2dbac34ef68fa81cc07fc5d7475116719ca');
INSERT INTO "steerbo_event" VALUES('study',19,'{"kind":"told","outcome":{"cost":1.0,"realised":{"x":0.65},"value":0.37840768554029247},"token":"8-351a"}','a8e66b6fed0b14a0badac97a083c92b536a569c5af956ab8979f9779333895d9');
INSERT INTO "steerbo_event" VALUES('study',20,'{"based_on":19,"expected_cost":1.8125,"kind":"asked","note":{"band":3.3052364215407226,"mean":0.6905800920720071,"prior":0,"upper":3.411707501932752},"observe":[],"request":{"time":19.0},"round":9,"scope":{"keep":[],"look":{},"set":["x"]},"token":"9-351a","values":{"x":0.15}}','adbb04ef2bb53ce2ecae5998a9b94e0f342132deaf68b6e8f65eea1a08475b90');
INSERT INTO "steerbo_event" VALUES('study',21,'{"kind":"told","outcome":{"cost":1.0,"realised":{"x":0.15},"value":0.4706645432464492},"token":"9-351a"}','f1ce1bc1e57f209b58647d11663b349b380ebd44aac1b57512b87c6dd9a59a9d');
INSERT INTO "steerbo_event" VALUES('study',22,'{"kind":"amended","outcome":{"cost":1.5,"realised":{"x":0.15},"value":0.4706645432464492},"reason":"","token":"9-351a"}','9bb9dec0faaeaa5687f591b1a2dd85fe58da54c6336809baac53a1db9274a27f');
INSERT INTO "steerbo_event" VALUES('study',23,'{"kind":"amended","reason":"typo","token":"1-351a"}','2a350b6d4b0c0272b5ddc912a39a8b713e9f80db673243e96f160a46d0a66ea4');
INSERT INTO "steerbo_event" VALUES('study',24,'{"based_on":23,"expected_cost":1.7777777777777777,"kind":"asked","note":{"band":3.408743448689003,"mean":0.4316084299940434,"prior":2,"upper":3.2867660153176734},"observe":[],"request":{"time":20.0},"round":10,"scope":{"keep":[],"look":{},"set":["x"]},"token":"10-351a","values":{"x":0.35}}','9a606657fb0ab9d4701c2b324abc438b21a94bbf6d2d5eab41cef57922620af7');
INSERT INTO "steerbo_event" VALUES('study',25,'{"kind":"told","outcome":{"cost":1.0,"realised":{"x":0.35},"value":-0.6049093537228891},"token":"10-351a"}','4651c442ac152b7930145640b43a6143094925ccf3a68a19df28cd3bef84363a');
INSERT INTO "steerbo_event" VALUES('study',26,'{"based_on":25,"expected_cost":1.7,"kind":"asked","note":{"band":4.036395443938844,"mean":0.6141881794557332,"prior":1,"upper":3.462323719678771},"observe":[],"request":{"time":23.0},"round":11,"scope":{"keep":[],"look":{},"set":["x"]},"token":"11-351a","values":{"x":0.55}}','748761674bdb92e5d05b94834b786d816252b8ae18c55fd0f0c469d7d613158a');
INSERT INTO "steerbo_event" VALUES('study',27,'{"kind":"told","outcome":{"cost":1.0,"realised":{"x":0.55},"value":0.22671423510102506},"token":"11-351a"}','3b720cd0f238b50cf14039eb695bb2db0fb4b4375566a8a77e7275537b1fbbcd');
INSERT INTO "steerbo_event" VALUES('study',28,'{"based_on":27,"expected_cost":1.6363636363636365,"kind":"asked","note":{"band":3.3542248743932195,"mean":0.626410142064596,"prior":2,"upper":3.4619472372405355},"observe":[],"request":{"time":24.0},"round":12,"scope":{"keep":[],"look":{},"set":["x"]},"token":"12-351a","values":{"x":0.85}}','e357f8dd4ef86f4f9f527614557bc1dde0a74e00d451ff4c5fd8d89b7b48ec62');
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
INSERT INTO "steerbo_study" VALUES('study',2,28,'e357f8dd4ef86f4f9f527614557bc1dde0a74e00d451ff4c5fd8d89b7b48ec62');
COMMIT;
