import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { FigureMeasures } from '@binnacle/base';
import { showZones, zoneLabel } from './figures.ts';

test('zones have the names that upstream gives them', () => {
  assert.deepEqual(['r:z', ':z', ':'].map(zoneLabel), ['r:\u0000:z', ':\u0000:z', '']);
});

test('a zone that is gone is empty and well', () => {
  const shown = new Map<string, number>();
  let refresh = (): void => undefined;
  const figures: FigureMeasures = {
    counter: () => ({ add: () => undefined }),
    spread: () => ({ observe: () => undefined }),
    gauge: ({ name }) => ({
      set: ([zone = ''], value) => void shown.set(`${name.slice('node_collector_'.length)} ${zone}`, value),
      drop: () => undefined,
      clear: () => undefined,
    }),
    beforeShown: (told) => {
      refresh = told;
      return () => undefined;
    },
  };
  const zones = new Map([[':', { members: 4, lost: 1 }]]);
  showZones(figures, () => zones);
  refresh();
  assert.deepEqual(
    [...shown],
    [
      ['zone_size ', 4],
      ['zone_health ', 75],
      ['unhealthy_nodes_in_zone ', 1],
    ],
  );
  zones.clear();
  refresh();
  assert.deepEqual(
    [...shown],
    [
      ['zone_size ', 0],
      ['zone_health ', 100],
      ['unhealthy_nodes_in_zone ', 0],
    ],
  );
});
