"""Study files, right and wrong."""

from __future__ import annotations

from tests.study.files import command

PROBLEMS = {
    "unknown variable": ('["temperature"],', '["temprature"],', r"control_sets\.0: 'temprature' .* mean 'temperature'"),
    "empty control set": ('["temperature"],', "[],", r"control_sets\.0: \[\] .* at least one variable"),
    "bounds reversed": ("low = 10, high = 35", "low = 35, high = 10", r"temperature\.low: 35.0 .* less than high"),
    "NaN bound": ("low = 10", "low = nan", r"low: nan .* finite number"),
    "infinite bound": ("high = 35", "high = inf", r"high: inf .* finite number"),
    "text bound": ("low = 10", 'low = "cold"', r"low: 'cold' .* number"),
    "law outside bounds": (
        'law = { kind = "uniform" }',
        'law = { kind = "normal", mean = 20, sd = 1 }',
        r"ph\.law: .* at most 1 % of its mass outside",
    ),
    "unknown law": ('kind = "uniform"', 'kind = "unifrom"', r"law\.kind: 'unifrom' .* mean 'uniform'"),
    "law missing": (', law = { kind = "uniform" }', "", r"ph\.law: None .* a law"),
    "unknown kind": ('"cost-varying"', '"cost-variyng"', r"kind: 'cost-variyng' .* mean 'cost-varying'"),
    "no kind": ('kind = "cost-varying"', "", r"kind: None"),
    "unknown field": ("control_sets", "control_set", r"control_set: .* mean 'control_sets'"),
    "negative costs": ("variables", "costs = [-1, 2]\nvariables", r"costs\.0: -1"),
}
STUDIES = {
    "unknown method": ('"random"', '"randon"', r"study\.method: 'randon' .* mean 'random'"),
    "method is no text": ('"random"', "3", r"study\.method: 3"),
    "negative budget": ("10", "-1", r"study\.budget: -1"),
    "NaN budget": ("10", "nan", r"study\.budget: nan"),
    "text budget": ("10", '"much"', r"study\.budget: 'much'"),
    "no limit": ("budget = 10", "", r"study\.budget: None .* a budget, or a number of rounds"),
    "no rounds": ("budget = 10", "rounds = 0", r"study\.rounds: 0"),
    "half a round": ("budget = 10", "rounds = 1.5", r"study\.rounds: 1\.5"),
    "negative seed": ("seed = 3", "seed = -3", r"study\.seed: -3"),
    "true seed": ("seed = 3", "seed = true", r"study\.seed: True"),
    "unknown key": ("seed", "sead", r"study\.sead: 3 .* mean 'seed'"),
    "no failures": ("seed = 3", "failures = 0", r"study\.failures: 0"),
    "unknown option": ("seed = 3", "options = { beta = 2 }", r"study\.options\.beta: 2 .* expected one of nothing"),
    "an option that is a setting": ("seed = 3", "options = { log = 2 }", r"study\.options\.log: 2"),
    "bad option": ('"random"', '"explore-then-commit"\noptions = { beta = -1 }', r"study\.options\.beta: -1"),
}
OBJECTIVES = {
    "neither": ("[objective]\n", r"objective: \{\} .* either function"),
    "both": (command("a.py") + 'function = "a:b"\n', r"objective: .* either function"),
    "unknown key": ('[objective]\ncomand = ["x"]\n', r"objective\.comand: .* mean 'command'"),
    "a text as command": ('[objective]\ncommand = "python plant.py"\n', r"objective\.command: .* a list of texts"),
    "an empty command": ("[objective]\ncommand = []\n", r"objective\.command: \[\]"),
    "timeout 0": (command("a.py") + "timeout = 0\n", r"objective\.timeout: 0 .* above 0"),
    "timeout NaN": (command("a.py") + "timeout = nan\n", r"objective\.timeout: nan"),
    "timeout of a function": ('[objective]\nfunction = "math:sin"\ntimeout = 3\n', r"objective\.timeout: 3 .* command"),
    "no colon": ('[objective]\nfunction = "plant"\n', r"objective\.function: 'plant' .* .module:function"),
    "number": ("[objective]\nfunction = 3\n", r"objective\.function: 3"),
    "unknown table": (command("a.py") + "[objectives]\n", r"objectives: \{\} .* mean 'objective'"),
}
NOWHERE = {
    "no such program": ('command = ["no-such-program"]', r"objective\.command\.0: 'no-such-program'"),
    "no such module": (
        'function = "no_such_plant:f"',
        r"objective\.function: .* a module that is installed",
    ),
    "no such inner module": ('function = "json.no_such_plant:f"', r"objective\.function: 'json\.no_such_plant:f'"),
    "nothing in a module": ('function = "json.plant:f"', r"objective\.function: 'json\.plant:f'"),
}
