import type { RunningProgram } from '../program.ts';
import { CLUSTER_ROLE_BINDINGS, CONFIG_MAPS, SERVICE_ACCOUNTS } from '@binnacle/api';
import { h2load } from '../h2load.ts';
import { make } from '../make.ts';
import { pass, startProgram } from '../program.ts';
import { atMost, median } from '../row.ts';
import type { Measurement } from '../row.ts';
import { ThreadCpu } from '../thread-cpu.ts';

const REQUESTS = 10_000;
const ROUNDS = 12;
const CONNECTIONS = 8;
const SETTLE_MS = 1_500;

/** A ServiceAccount that may read, and its token. */
async function reader({ client }: RunningProgram, name: string): Promise<string> {
  const accounts = client.resource(SERVICE_ACCOUNTS, 'default');
  await accounts.create({ metadata: { name } });
  await client.resource(CLUSTER_ROLE_BINDINGS).create({
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    subjects: [{ kind: 'ServiceAccount', name, namespace: 'default' }],
  });
  const reply = await accounts.subresource<{ status: { token: string } }>('create', name, 'token', {
    ...{ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: {} },
    spec: { expirationSeconds: 3600 },
  });
  return reply.status.token;
}

/** What it costs to be treated fairly: a GET by who is queued where that is needed, and by who is exempt, in turn. */
export const fairness: Measurement = {
  name: 'fairness',
  async run() {
    const program = await startProgram(['--runtime', 'simulated', '--nodes', '0', '--store', 'memory']);
    try {
      await program.client.resource(CONFIG_MAPS, 'default').create({ metadata: { name: 'm' }, data: { k: 'v' } });
      const tokens = [await reader(program, 'fair'), await reader(program, 'exempt')];
      const account = { name: 'exempt', namespace: 'default' };
      const rules = [
        {
          subjects: [{ kind: 'ServiceAccount', serviceAccount: account }],
          resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'] }],
        },
      ];
      const spec = { priorityLevelConfiguration: { name: 'exempt' }, matchingPrecedence: 2, rules };
      await make(program.wire, ['flow', 'flowschemas'], { metadata: { name: 'bench-exempt' }, spec });
      await pass(SETTLE_MS);
      const url = `${program.server}/api/v1/namespaces/default/configmaps/m`;
      const sides = tokens.map((token) => ({
        load: { url, requests: REQUESTS, connections: CONNECTIONS, headers: [`authorization: Bearer ${token}`] },
        costs: [] as number[],
      }));
      for (const { load } of sides) await h2load(load);
      for (let i = 0; i < ROUNDS; i++) {
        for (const { load, costs } of i % 2 === 0 ? sides : sides.toReversed()) {
          const cpu = new ThreadCpu(program.pid);
          await cpu.during(() => h2load(load));
          costs.push(cpu.totalUs / REQUESTS);
        }
      }
      const [fair = Number.NaN, exempt = Number.NaN] = sides.map(({ costs }) => median(costs));
      return [
        atMost(
          {
            name: 'priority and fairness, per request',
            value: Math.round((fair - exempt) * 10) / 10,
            unit: 'µs CPU',
            reference: { name: 'µs CPU of a GET that is exempt', value: Math.round(exempt * 10) / 10 },
          },
          5,
        ),
      ];
    } finally {
      await program.stop();
    }
  },
};
