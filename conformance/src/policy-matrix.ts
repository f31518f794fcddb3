/** Who reaches whom under network policies: every pod asks every other, beside what the policies say. */
import { NAMESPACES, NETWORK_POLICIES, PODS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import type { NetworkPolicy } from '@binnacle/api/networking/v1';
import type { Client } from '@binnacle/client';
import { kubectlOutput, lookUntil, waitFor } from '@binnacle/testkit';
import type { Kubectl } from '@binnacle/testkit';
import { IMAGE } from './manifests.ts';

/** A pod of the matrix: namespaces and pods are labelled with their own names, as `ns` and `pod`. */
export interface Place {
  readonly namespace: string;
  readonly pod: string;
}

/** Policies, and who reaches whom under them. */
export interface Scenario {
  readonly name: string;
  readonly policies: readonly { readonly namespace: string; readonly spec: NetworkPolicy['spec'] }[];
  readonly reaches: (from: Place, to: Place) => boolean;
}

/** The cluster, and the place of the matrix in it. */
export interface Matrix {
  readonly client: Client;
  readonly kubectl: Kubectl;
  readonly kubeconfig: string;
  readonly places: readonly Place[];
}

const PORT = 8080;
/** How long the matrix may take to be as the policies say. */
const DEADLINE_MS = 20_000;

const all = (spec: Partial<NetworkPolicy['spec']>): NetworkPolicy['spec'] => ({ podSelector: {}, ...spec });
const inNamespace = (ns: string) => ({ namespaceSelector: { matchLabels: { ns } } });
const named = (pod: string) => ({ podSelector: { matchLabels: { pod } } });

/** What is tried everywhere; namespaces `x`, `y`, …, pods `a`, `b`, …. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'nobody gets into a namespace, not even from itself',
    policies: [{ namespace: 'x', spec: all({ policyTypes: ['Ingress'] }) }],
    reaches: (_from, to) => to.namespace !== 'x',
  },
  {
    name: 'into one pod from another namespace and from one pod, by the name of its port',
    policies: [
      {
        namespace: 'x',
        spec: {
          ...named('a'),
          ingress: [{ from: [inNamespace('y'), named('b')], ports: [{ port: 'web', protocol: 'TCP' }] }],
        },
      },
    ],
    reaches: (from, to) =>
      to.namespace !== 'x' || to.pod !== 'a' || from.namespace === 'y' || (from.namespace === 'x' && from.pod === 'b'),
  },
  {
    name: 'out of a namespace to pods of one name alone, wherever they are; a namespace that lets nobody in stands against it',
    policies: [
      {
        namespace: 'y',
        spec: all({
          policyTypes: ['Egress'],
          egress: [
            { to: [{ ...inNamespace('x'), ...named('b') }, named('b')], ports: [{ port: 8000, endPort: 8100 }] },
          ],
        }),
      },
      { namespace: 'x', spec: all({ ingress: [{ from: [inNamespace('x')] }], policyTypes: ['Ingress'] }) },
    ],
    reaches: (from, to) => {
      const letsOut = from.namespace !== 'y' || (to.pod === 'b' && (to.namespace === 'x' || to.namespace === 'y'));
      return letsOut && (to.namespace !== 'x' || from.namespace === 'x');
    },
  },
  { name: 'without policies everybody reaches everybody', policies: [], reaches: () => true },
];

/** Further ones, for whoever has more time. */
export const FURTHER: readonly Scenario[] = [
  {
    name: 'another port than the one that is open',
    policies: [
      { namespace: 'x', spec: all({ ingress: [{ ports: [{ port: 80 }, { port: PORT, protocol: 'UDP' }] }] }) },
    ],
    reaches: (_from, to) => to.namespace !== 'x',
  },
  {
    name: 'the world but for the pods of the cluster',
    policies: [
      {
        namespace: 'z',
        spec: all({
          policyTypes: ['Egress'],
          egress: [{ to: [{ ipBlock: { cidr: '0.0.0.0/0', except: ['10.0.0.0/8'] } }] }],
        }),
      },
    ],
    reaches: (from) => from.namespace !== 'z',
  },
  {
    name: 'two policies let through what either does',
    policies: [
      { namespace: 'x', spec: { ...named('c'), ingress: [{ from: [named('a')] }] } },
      { namespace: 'x', spec: all({ ingress: [{ from: [inNamespace('z')] }] }) },
    ],
    reaches: (from, to) =>
      to.namespace !== 'x' || from.namespace === 'z' || (to.pod === 'c' && from.namespace === 'x' && from.pod === 'a'),
  },
  {
    name: 'selectors with expressions',
    policies: [
      {
        namespace: 'y',
        spec: {
          podSelector: { matchExpressions: [{ key: 'pod', operator: 'NotIn', values: ['a'] }] },
          ingress: [
            {
              from: [{ namespaceSelector: { matchExpressions: [{ key: 'ns', operator: 'In', values: ['y', 'z'] }] } }],
            },
          ],
        },
      },
    ],
    reaches: (from, to) => to.namespace !== 'y' || to.pod === 'a' || from.namespace !== 'x',
  },
];

/** Makes namespaces and pods, and waits until they serve. */
export async function makeMatrix(of: Matrix): Promise<void> {
  const { client, places } = of;
  for (const ns of new Set(places.map(({ namespace }) => namespace)))
    await client.resource(NAMESPACES).create({ metadata: { name: ns, labels: { ns } }, spec: {} });
  for (const { namespace, pod } of places) {
    const readinessProbe = { tcpSocket: { port: PORT }, periodSeconds: 1 };
    const command = ['sh', '-c', `mkdir /w; cd /w; echo ${namespace}/${pod} >index.html; exec httpd -f -p ${PORT}`];
    const container = {
      name: 'c',
      image: IMAGE,
      command,
      ports: [{ name: 'web', containerPort: PORT }],
      readinessProbe,
    };
    await client.resource(PODS, namespace).create({
      metadata: { name: pod, labels: { pod } },
      spec: { containers: [container], terminationGracePeriodSeconds: 0 },
    });
  }
  await untilReady(of);
}

async function untilReady({ client, places }: Matrix): Promise<readonly Pod[]> {
  const isOurs = ({ metadata }: Pod): boolean =>
    places.some(({ namespace, pod }) => namespace === metadata.namespace && pod === metadata.name);
  const isReady = ({ status }: Pod): boolean =>
    status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
  const pods = await waitFor({
    client,
    resource: PODS,
    what: 'the pods of the matrix',
    until: (found) => found.filter((one) => isOurs(one) && isReady(one)).length === places.length,
    deadlineMs: 60_000,
  });
  return pods.filter(isOurs);
}

/** Puts a scenario in force, waits until everybody reaches whom they may and nobody else, and takes it away. */
export async function holds(of: Matrix, scenario: Scenario): Promise<void> {
  const { client, places } = of;
  const made = [];
  for (const [at, { namespace, spec }] of scenario.policies.entries()) {
    const api = client.resource(NETWORK_POLICIES, namespace);
    made.push({ api, name: `p${at}` });
    await api.create({ metadata: { name: `p${at}` }, spec });
  }
  const wanted = places.map((from) =>
    places
      .filter((to) => from === to || scenario.reaches(from, to))
      .map(({ namespace, pod }) => `${namespace}/${pod}`)
      .join(' '),
  );
  const pods = await untilReady(of);
  await lookUntil({
    what: `${scenario.name}: ${JSON.stringify(wanted, undefined, 1)}`,
    look: () => Promise.all(places.map((from) => whomItReaches(of, from, pods))),
    until: (heard) => heard.join('\n') === wanted.join('\n'),
    deadlineMs: DEADLINE_MS,
  });
  await untilReady(of); // Probes of the kubelet went on.
  for (const { api, name } of made) await api.delete(name);
}

/** All at once: who is held back costs the whole wait. */
async function whomItReaches(
  { kubectl, kubeconfig, places }: Matrix,
  from: Place,
  pods: readonly Pod[],
): Promise<string> {
  const asks = places.map(({ namespace, pod }) => {
    const to = pods.find(({ metadata }) => metadata.namespace === namespace && metadata.name === pod);
    return `timeout 1 wget -qO- http://${to?.status?.podIP}:${PORT}/ 2>/dev/null &`;
  });
  const script = `${asks.join(' ')} wait`;
  const { namespace, pod } = from;
  const said = await kubectlOutput(kubectl, kubeconfig, ['-n', namespace, 'exec', pod, '--', 'sh', '-c', script]);
  return said.trim().split('\n').toSorted().join(' ');
}
