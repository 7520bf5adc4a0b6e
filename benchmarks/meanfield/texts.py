"""What the page of results says beside its tables."""

HEAD = """# Crowds: our own figures

What the paper claims, what peers make of the same problems and what an ask costs stands in [crowds](papers/mean-field.md). Here is what was wanted of our default, `mf-gp-ucb` as it comes; all but the first claim was
[written down before](meanfield-registered.md). *Holds*: it came; *does not hold*: it did not; *depends*: on what stands beside it. 0 is what random shares pay, 1 the best there is.

<!-- claims -->
<!-- /claims -->

![Payoff after 20, 40 and 80 rounds: bikes with a map reach 1, coverage .88, maritime .6; New York .47 without a map, .35 with a wrong one and .89 with the right one, .81 with 394 cells; noise of 2 % costs a tenth or so.](meanfield.png)

Means over seeds with two standard errors; medians and every problem: [meanfield-tables.csv](meanfield-tables.csv). `python -m benchmarks.meanfield.front` makes claims and picture.

* *Give coordinates* where places have any: New York goes from .47 to .89 after 80 rounds. Coordinates of other places do harm.
* *Tell the population's average* if it is known: from one agent's payoff little is learned (arena .93, bikes .33).
* *Expect little early* with noise: arena has .25 after 20 noisy rounds where .86 is possible.

## Appendix

`python -m benchmarks.meanfield.results` plays these; `--full` plays ten seeds of everything. T = 250 rounds,
feedback is the population's average. Scores are `(payoff − random) / (optimum − random)` of noise-free payoffs:
random is the mean where every agent picks uniformly, the optimum is over all distributions (whole agents cannot quite
reach it). *best* is the best so far, *now* the present suggestion, *answer* what `recommend()` would answer; medians
over seeds, ± the standard error of the mean from three seeds on. *worst* is the lowest score that any suggestion of any
seed had in 250 rounds. *distinct* counts the different distributions played; *s* is CPU seconds of all asks, on a busy
machine. Rows of the default have five seeds, other methods' ten where they are quick.
"""
SPEED = """`make bench-meanfield`, CPU seconds on one thread.
*Ours* and *rival* maximise the same: Eq. 1's kernel, E[μ + βσ].
The rival is GPyTorch with Adam(.01) × 1000 and a fit by BoTorch a round, timed at five rounds on a sample of its steps
(all 1000 at one of them) and scaled. *Default* is this library's default method. *Gap*: how much larger the rival's
best acquisition value is than ours, against the acquisition's range; negative: ours is larger."""
TAIL = """## What the tables show

- Where actions have coordinates, a payoff's word on one cell counts for those beside it, if outcomes find that likelier
  (the map kernel, `…-map` under *Registered runs*). Without them New York is missed at round 80: 160 shares are unknown
  and 80 outcomes tell 80 numbers.
- Dives came of a lengthscale that was beyond everything by one distance and not by another. Since suggestions must be
  known by plain distances, by those of square roots and by the likeliest ones, one suggestion of some 180 runs is below
  −1 (bikes with 2 % noise, −1.3; none was wanted); where the likeliest alone are asked there are 120 in 80 runs, down
  to −8.8. At round 80 that costs nothing that can be seen: it stands under their table.
- Bounds of answers that rest on the likeliest hyperparameters alone are too narrow after few noisy rounds. Averaged
  over hyperparameters they hold more often. (The registered runs were played before bounds were also widened by how
  far off predictions have been: [calibration](calibration.md).)
- A demand that becomes another one is noticed after four outcomes or so, and those from before are forgotten.
- Against the figures that were to be beaten (best payoff so far at rounds 20, 40, 80, 250): swarm 16.4, 17.8, 17.92,
  17.93, here 17.9 at round 20 and 18.0 from 40 on; arena −.2, .2, .63, .93, here .7, .9, 1.0, 1.0.
- Against noise the lengthscale has a floor at the distance of the first distributions, every thorough fit also begins
  where most is noise, disasters count logarithmically, and suggestions must be ones of which outcomes took away .4 of
  the prior variance. Without that, few noisy outcomes are taken for exact ones of a payoff that is different everywhere,
  disasters are cut off at the size of the noise, and optimism tries corners. Best at round 80 with 2 % noise, without
  (two or three seeds) and with (five): arena .107 and .953, bikes .822 and .911, maritime .208 and .533, New York .096 and
  .218; at round 250 the easy ones are a little lower with it: swarm .999 and .997, bikes .970 and .955.
- Caution is worth what the fit is worth that it goes by. Asking all distances, nothing is below −.65 with averages on any
  problem but New York's largest: −1.26 there. Going by one fit, suggestions on maritime fell to −34 without noise and to
  −12 with it; without caution and with the paper's acquisition bikes fell to −9.0.
- What noise still costs: arena has .25 after 20 rounds where .86 is possible, New York .39 at 250 where .98 is.
- New York-160 has .98 at round 250, with one seed of five at .89. An earlier version, ten seeds without noise, had .995
  there, none below .99; elsewhere, at 80: swarm 1.000, arena .991, bikes .996, New York .419, maritime .598; at 250: 1.000,
  .994, .997, .990, .881; New York 235 and 394, three seeds, .950 and .636. Nothing else is lower now by more than its error.
- One agent's payoff (five seeds): Algorithm 1 as printed solves swarm, whose payoff is nearly one of places, reaches
  .63 on arena and stays near the random start on bikes (.25), where an agent's own part of the divergence says little
  about the whole. The default is better on arena (.93) and bikes (.33), but not good: tell the population's average if
  it is known.
- The paper's acquisition and kernel on population averages are good on swarm, bikes (.938 at 80, default .996) and
  maritime (as good as the default on three seeds); on arena they are slow at first (.26 at 40, default .97) and reach
  .947 where the default reaches .997; on New York-160 .54 where it reaches .98.
- Of the baselines on single agents, TuRBO and `gp-ucb` come nearest: .92 on swarm, .86 on arena, .94 on bikes at 250.
  With thousands of agents none gets off the ground: on New York and maritime none reaches .3.
- *now* falls on bikes towards round 250: the best whole agents are found, and as nothing is played twice without noise,
  what is left are worse ones. *answer* does not follow.
- Maritime has no target: its payoff is harsh with small ports, and 150 shares are unknown.

## What the data are, and what is a choice

- Bikes: Pittsburgh's Healthy Ride, 20 Saturdays of 2016, in place of Louisville's LouVelo. New York: Uber pickups of
  20 weekdays of April 2014, 15 to 18 h, in place of yellow taxis on Fridays. Maritime: 30 ports of PortWatch drawn at
  random (seed 0).
- Swarm and arena are read so that the paper's figures come out: the congestion is the agents' average `σ Σ P log(1 +
  P)`. An agent's own payoff is read as its summand; of a divergence as `−½ log P_x / H_x`, and its share of the rest.
- Seeds from 10 on are evidence. What is new against noise was chosen on seeds 1000 to 1002 of these problems and on
  five invented ones (two of crowding, a quadratic, a divergence, one whose best are corners), before any of the runs
  above was looked at; older choices on seeds 0 to 5.
- The baselines are ours but for the genetic operators (pymoo): one variable an agent, as in the paper. `gp-ucb` and
  `add-gp-ucb` take at most 1000 agents.
- Seeds: ten of everything on the three small problems but one agent's payoff and today's default (five). On maritime
  and New York TuRBO and the genetic algorithm take minutes a run, and have three seeds; TuRBO one on New York.
"""
