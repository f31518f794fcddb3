import { test } from 'node:test';
import { crashRounds } from '../node/crash/rounds.ts';

const ROUNDS = 50;
const SEED = 36;

test(`kill -9 under load, ${ROUNDS} rounds`, { timeout: 120_000 }, (t) => crashRounds(t, ROUNDS, SEED));
