BEGIN TRANSACTION;
CREATE TABLE steerbo_event (
	study VARCHAR(200) NOT NULL, 
	position INTEGER NOT NULL, 
	body TEXT NOT NULL, 
	checksum VARCHAR(64) NOT NULL, 
	PRIMARY KEY (study, position)
);
INSERT INTO "steerbo_event" VALUES('study',1,'{"budget":60.0,"fingerprint":{"blas":"openblas 0.3.30 SkylakeX, openblas 0.3.31.188.0 SkylakeX","machine":"x86_64","numpy":"2.4.6","python":"3.11.7","scipy":"1.17.1","steerbo":"0.1.0"},"format":1,"kind":"created","method":"tempered-elimination","options":{"confidence":"theory","delta":0.1,"on_exhausted":"keep-last","temper":0.5},"problem":{"kind":"time-varying","minimize":false,"priors":[{"drift":{"epsilon":0.02,"kind":"decay"},"kernel":{"kind":"squared-exponential","lengthscale":0.1,"variance":1.0},"mean":{"base":0.0,"centres":[[0.1],[0.5],[0.9]],"heights":[0.3,0.1,0.1],"kind":"bumps","width":0.1},"name":"hill at 0.1","noise":0.1},{"drift":{"epsilon":0.02,"kind":"decay"},"kernel":{"kind":"squared-exponential","lengthscale":0.1,"variance":1.0},"mean":{"base":0.0,"centres":[[0.1],[0.5],[0.9]],"heights":[0.1,0.3,0.1],"kind":"bumps","width":0.1},"name":"hill at 0.5","noise":0.1},{"drift":{"epsilon":0.02,"kind":"decay"},"kernel":{"kind":"squared-exponential","lengthscale":0.1,"variance":1.0},"mean":{"base":0.0,"centres":[[0.1],[0.5],[0.9]],"heights":[0.1,0.1,0.3],"kind":"bumps","width":0.1},"name":"hill at 0.9","noise":0.1}],"variables":[{"high":1.0,"kind":"float","low":0.0,"name":"x","scale":"linear","unit":""}]},"seed":5}','c325084eb6f9081808f5ffb652a2837bae020b137f919e0cb5350f8118af1b2d');
INSERT INTO "steerbo_event" VALUES('study',2,'{"based_on":1,"kind":"asked","note":{"band":4.8834931024654145,"mean":0.3000670925255801,"prior":1,"upper":5.183560194990995},"observe":[],"request":{"time":3.0},"round":1,"scope":["x"],"token":"1-0097","values":{"x":0.5000000048431162}}','d5c485e2cb5d295e799cb5050508ee1f0aa05242d191a6c18ae193ffd65851c8');
INSERT INTO "steerbo_event" VALUES('study',3,'{"kind":"told","outcome":{"cost":1.0,"realised":{"x":0.5000000048431162},"value":-0.1830322856555813},"token":"1-0097"}','b93ffd503bf08b73a5540cf9bac3e903633755677f5e1e7c3a777271dc66248d');
INSERT INTO "steerbo_event" VALUES('study',4,'{"based_on":3,"kind":"asked","note":{"band":5.421593782017328,"mean":0.2999405345937706,"prior":0,"upper":5.721534316611098},"observe":[],"request":{"time":4.0},"round":2,"scope":["x"],"token":"2-0097","values":{"x":0.0999200228645211}}','0593a8f086fa630a4f858e849e0a6d3243da208840ce35508736ea93fade582b');
INSERT INTO "steerbo_event" VALUES('study',5,'{"kind":"told","outcome":{"cost":1.0,"realised":{"x":0.0999200228645211},"value":0.82208325878227},"token":"2-0097"}','0506c99726b540bcc5f5e1ab23ba8316180b84e7fe9c3d25dacd66eaacee98ab');
INSERT INTO "steerbo_event" VALUES('study',6,'{"based_on":5,"kind":"asked","note":{"band":5.712915180310235,"mean":0.2999432298694848,"prior":2,"upper":6.01285841017972},"observe":[],"request":{"time":7.0},"round":3,"scope":["x"],"token":"3-0097","values":{"x":0.9000763696507967}}','13ac07e0c0f9169de405dfd856e936956ab47d1c19dacf43095a740e515c732d');
INSERT INTO "steerbo_event" VALUES('study',7,'{"kind":"told","outcome":{"cost":1.0,"realised":{"x":0.9000763696507967},"value":0.628038394887572},"token":"3-0097"}','6dfecca458e52a758c774601f7e7588ce71125188d1fae5b4381d8372acd700d');
INSERT INTO "steerbo_event" VALUES('study',8,'{"based_on":7,"kind":"asked","note":{"band":5.777924973614714,"mean":0.14816209217944976,"prior":0,"upper":5.926087065794164},"observe":[],"request":{"time":8.0},"round":4,"scope":["x"],"token":"4-0097","values":{"x":0.2782696883076781}}','0669e051a306e6f516b7a591a0c461f895917e4e5293a0495f1fd455a28be510');
INSERT INTO "steerbo_event" VALUES('study',9,'{"cost":0.5,"kind":"failed","realised":{"x":0.2782696883076781},"reason":"pump broke","token":"4-0097"}','bd9e664337de642918088ab8a96dd909ab5894dc26c8db6ca13877c3522106bd');
INSERT INTO "steerbo_event" VALUES('study',10,'{"based_on":9,"kind":"asked","note":{"band":5.9421705616782665,"mean":0.09639863334307347,"prior":2,"upper":6.038404287263483},"observe":[],"request":{"time":11.0},"round":5,"scope":["x"],"token":"5-0097","values":{"x":0.7157043437192824}}','88fb1fbd279075fddaacbb222a065e44c155fa47d04d53f7dc3e8b3712d3176b');
INSERT INTO "steerbo_event" VALUES('study',11,'{"kind":"failed","realised":{"x":0.7157043437192824},"reason":"no idea what it cost","token":"5-0097"}','bd540633344ea8c8fd6e08d590b6de5ffdd89a9cd8488da92645a798c22b57c3');
INSERT INTO "steerbo_event" VALUES('study',12,'{"based_on":11,"kind":"asked","note":{"band":5.131437391219571,"mean":0.47140771876928433,"prior":0,"upper":5.572567091549056},"observe":[],"request":{"time":12.0},"round":6,"scope":["x"],"token":"6-0097","values":{"x":0.0}}','17e86c15473faa75fee690f640774070e69e91b204b3f1290be3e6507c6de12c');
INSERT INTO "steerbo_event" VALUES('study',13,'{"kind":"abandoned","reason":"gone home","token":"6-0097"}','2a05d2cab85fe860ad9d09ef4fc3c47b8b52f722db502e21f760afd50480f2f2');
INSERT INTO "steerbo_event" VALUES('study',14,'{"based_on":13,"kind":"asked","note":{"band":5.213730009017829,"mean":0.3638311725364521,"prior":2,"upper":5.552350510016524},"observe":[],"request":{"time":15.0},"round":7,"scope":["x"],"token":"7-0097","values":{"x":1.0}}','23ae01c09020dc6a3489dfd5d539752257d1c896b62e8a30a70aa8dd00b6e5d4');
INSERT INTO "steerbo_event" VALUES('study',15,'{"kind":"told","outcome":{"cost":1.0,"realised":{"x":1.0},"value":-0.11756243591931381},"token":"7-0097"}','8a62690be6573b6db810596de668dd21d2712541fc5119c46110674f0e0408dd');
INSERT INTO "steerbo_event" VALUES('study',16,'{"based_on":15,"kind":"asked","note":{"band":5.556471443760906,"mean":-0.05662669298167733,"prior":1,"upper":4.696382714629992},"observe":[],"request":{"time":16.0},"round":8,"scope":["x"],"token":"8-0097","values":{"x":0.3920100898633268}}','ad578867ee6b4b968f53d8346512deeb5914fc7d2876f7f6915ebfd915febc3c');
INSERT INTO "steerbo_event" VALUES('study',17,'{"kind":"told","outcome":{"cost":1.0,"realised":{"x":0.3920100898633268},"value":-0.1973759282200661},"token":"8-0097"}','2aae8c584fec7df35c535564409899b05a7361effc87673cb3200207e475c6db');
INSERT INTO "steerbo_event" VALUES('study',18,'{"based_on":17,"kind":"asked","note":{"band":5.49776905402237,"mean":-0.02704771635092701,"prior":1,"upper":4.651753536672745},"observe":[],"request":{"time":19.0},"round":9,"scope":["x"],"token":"9-0097","values":{"x":0.6034652364016255}}','7556c34a21212dbb10c6313adb5e0cd9257e9e2f8e4e5e0fc9c9b69f76b22e9d');
INSERT INTO "steerbo_event" VALUES('study',19,'{"kind":"told","outcome":{"cost":1.0,"realised":{"x":0.6034652364016255},"value":0.19360225969952627},"token":"9-0097"}','ac13de15cb56559cd0463752a28e39439b23e3edb452ee877e7407e250f145fe');
INSERT INTO "steerbo_event" VALUES('study',20,'{"kind":"amended","outcome":{"cost":1.5,"realised":{"x":0.6034652364016255},"value":0.19360225969952627},"reason":"","token":"9-0097"}','7555c1eb93d7f30a2e49a12c66f6e23edd1c2b8a99aeb7049b9aad54aeee8764');
INSERT INTO "steerbo_event" VALUES('study',21,'{"kind":"amended","reason":"typo","token":"1-0097"}','bfda183db5462ab0142dbadf0ff15a4c932dde3b4d4ee4d6a5d9e5d82e7c2e5a');
INSERT INTO "steerbo_event" VALUES('study',22,'{"based_on":21,"kind":"asked","note":{"band":4.873607839675001,"mean":0.5543307252077345,"prior":0,"upper":4.6214834890423475},"observe":[],"request":{"time":20.0},"round":10,"scope":["x"],"token":"10-0097","values":{"x":0.17099968021758188}}','a7d5e3a24d8b27d2793960bfe5e1e2f89f0ba71066adaf9882ba660e3be9308a');
INSERT INTO "steerbo_event" VALUES('study',23,'{"kind":"told","outcome":{"cost":1.0,"realised":{"x":0.17099968021758188},"value":0.07874390800201514},"token":"10-0097"}','5894098725f343be557c8917878c66e4b509ec523f62fa6ae50febc47be2f18e');
INSERT INTO "steerbo_event" VALUES('study',24,'{"based_on":23,"kind":"asked","note":{"band":4.994540104667589,"mean":0.5406924472240996,"prior":2,"upper":4.754031239254087},"observe":[],"request":{"time":23.0},"round":11,"scope":["x"],"token":"11-0097","values":{"x":0.819879499517084}}','b948a0273bdd6c97bbdbbced536c0e97ad18ad9e9566deb030eae8b265b102da');
INSERT INTO "steerbo_event" VALUES('study',25,'{"kind":"told","outcome":{"cost":1.0,"realised":{"x":0.819879499517084},"value":0.5571268260946609},"token":"11-0097"}','12f1346f6c872ec4001e4fa10281728b1c90c193d09fb40ab7972b91e1536dc6');
INSERT INTO "steerbo_event" VALUES('study',26,'{"based_on":25,"kind":"asked","note":{"band":4.413199397833137,"mean":0.6481354613678216,"prior":0,"upper":4.015085711511465},"observe":[],"request":{"time":24.0},"round":12,"scope":["x"],"token":"12-0097","values":{"x":0.05790298038082218}}','825ad58771edffdf4da79cd9af64bd59a8bdbf9ccb1f9dfd69bd8b84416e0299');
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
INSERT INTO "steerbo_study" VALUES('study',1,26,'825ad58771edffdf4da79cd9af64bd59a8bdbf9ccb1f9dfd69bd8b84416e0299');
COMMIT;