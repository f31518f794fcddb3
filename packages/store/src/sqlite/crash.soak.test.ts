import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { crashRounds } from '../node/crash/rounds.ts';

/** `SOAK_ROUNDS` says how many; a round takes about a third of a second. */
const ROUNDS = Number(process.env['SOAK_ROUNDS'] ?? 1000);

test(`kill -9 under load, ${ROUNDS} rounds`, (t) => crashRounds(t, ROUNDS, randomInt(2 ** 31)));
