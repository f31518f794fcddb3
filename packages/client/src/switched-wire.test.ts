import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import type { Wire } from '@binnacle/machinery';
import { SwitchedWire } from './switched-wire.ts';

test('new calls take the new wire, and the one before is closed behind them', async () => {
  const said: string[] = [];
  const wire = (name: string): Wire =>
    ({
      call: async () => void said.push(`call ${name}`),
      close: async () => void said.push(`close ${name}`),
    }) as unknown as Wire;
  const clock = new VirtualClock();
  const switched = new SwitchedWire(wire('old'), clock);
  await switched.call({} as never);
  switched.switchTo(wire('new'));
  await switched.call({} as never);
  assert.deepEqual(said, ['call old', 'call new']);
  await clock.advance(10_000);
  await switched.close();
  assert.deepEqual(said.slice(2), ['close old', 'close new']);
});
