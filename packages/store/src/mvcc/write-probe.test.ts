import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base/testing';
import { StoreFullError } from '../errors.ts';
import { WriteProbe } from './write-probe.ts';

function probe() {
  const clock = new VirtualClock();
  const state: { looks: number; error: Error | undefined } = { looks: 0, error: undefined };
  const write = (): Promise<void> => {
    state.looks++;
    return state.error === undefined ? Promise.resolve() : Promise.reject(state.error);
  };
  return { clock, state, probe: new WriteProbe({ clock, write }) };
}

test('a write that went well is as good as a look, for a second', async () => {
  const { clock, state, probe: asked } = probe();
  asked.note();
  await asked.ask();
  assert.equal(state.looks, 0);
  await clock.advance(1000);
  await Promise.all([asked.ask(), asked.ask()]);
  assert.equal(state.looks, 1);
});

test('what was found is told for a second, whatever has become of it', async () => {
  const { clock, state, probe: asked } = probe();
  state.error = new StoreFullError('the disk is full');
  await assert.rejects(asked.ask(), StoreFullError);
  state.error = undefined;
  await assert.rejects(asked.ask(), StoreFullError);
  await clock.advance(1000);
  await asked.ask();
  assert.equal(state.looks, 2);
  assert.equal(clock.pending, 0);
});
