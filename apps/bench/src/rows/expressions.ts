import { compile, declare, kubernetesLibrary, KUBERNETES_MACROS, valueBySchema } from '@binnacle/cel';
import type { Value } from '@binnacle/cel';
import { assert } from '@binnacle/base';
import { figure, median } from '../row.ts';
import type { Measurement, Row } from '../row.ts';

const BATCH = 1_000;
const ROUND_MS = 400;
const ROUNDS = 5;
const COST_MAX = 1_000_000;

const SCHEMA = {
  type: 'object',
  properties: {
    replicas: { type: 'integer' },
    max: { type: 'integer' },
    names: { type: 'array', maxItems: 10, items: { type: 'string', maxLength: 20 } },
    host: { type: 'string', maxLength: 100 },
  },
};
const OBJECT = { replicas: 3, max: 5, names: ['a', 'bb', 'ccc', 'dddd'], host: 'web.example.com' };

/** As rules of custom kinds have them. */
const RULES: readonly (readonly [name: string, source: string])[] = [
  ['a comparison', 'self.replicas <= self.max'],
  ['a list', 'self.names.all(n, n.size() < 10 && !n.startsWith("x"))'],
  ['a pattern', 'self.host.matches("^[a-z]+[.]example[.]com$")'],
];

/** Evaluations of compiled rules a second, in this process, cost counted as the server does. */
export const expressions: Measurement = {
  name: 'expressions',
  run() {
    const declared = declare(SCHEMA, 'self', false);
    assert(declared !== undefined, 'the schema can be declared');
    const environment = {
      functions: kubernetesLibrary(),
      macros: KUBERNETES_MACROS,
      variables: new Map([['self', declared.type]]),
      objects: new Map(),
      isHomogeneous: true,
    };
    const variables = new Map<string, Value>([['self', valueBySchema(OBJECT, SCHEMA)]]);
    const rows = RULES.map(([name, source]): Row => {
      const program = compile(source, environment);
      assert(program.run(variables, COST_MAX).value === true, 'the rule holds', { source });
      const rates: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const began = performance.now();
        let count = 0;
        while (performance.now() - began < ROUND_MS) {
          for (let i = 0; i < BATCH; i++) program.run(variables, COST_MAX);
          count += BATCH;
        }
        rates.push(count / ((performance.now() - began) / 1000));
      }
      return figure({ name: `CEL, ${name}`, value: Math.round(median(rates)), unit: 'per s', reference: null });
    });
    return Promise.resolve(rows);
  },
};
