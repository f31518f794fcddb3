import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { TRACE_GROUP } from '@binnacle/trace';
import { mayDo } from '../rights/rules.ts';
import type { Rule } from '../rights/rules.ts';
import { TAB_RULES } from './tab-rules.ts';
import type { Seen } from './tab-rules.ts';

const STORED = { verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'] };
const POD = { group: '', resource: 'pods', subresources: ['log', 'exec', 'status'], ...STORED };
const SET = { group: 'apps', resource: 'replicasets', subresources: ['scale', 'status'], ...STORED };
/** What a server makes up when it is asked. */
const USAGE = { group: 'metrics.k8s.io', resource: 'pods', subresources: [], verbs: ['get', 'list'] };
const PAUSE = { group: TRACE_GROUP, resource: 'pauses', subresources: [], verbs: ['get', 'list', 'patch', 'watch'] };
const ALL: readonly Rule[] = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }];
/** The ClusterRole `view` of another Kubernetes, in short. */
const VIEW: readonly Rule[] = [{ verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['pods', 'pods/log'] }];
const trace = (...resources: readonly string[]): Rule => ({ verbs: ['list'], apiGroups: [TRACE_GROUP], resources });
const PLAIN = 'summary yaml events related';

interface Case {
  readonly kind?: Parameters<(typeof TAB_RULES)[number]['fits']>[0];
  readonly rules?: readonly Rule[];
  readonly seen?: Partial<Omit<Seen, 'rights'>>;
}
const ROWS: readonly (readonly [what: string, it: Case, tabs: string])[] = [
  ['a pod, who may do all', {}, 'summary why yaml history events related logs terminal'],
  ['a set has neither logs nor a shell', { kind: SET }, 'summary why yaml history events related'],
  ['figures of usage have no past', { kind: USAGE }, 'summary why yaml events related'],
  ['what can be held has none either', { kind: PAUSE }, 'summary why yaml events related'],
  ['where there is no trace', { seen: { hasTrace: false } }, `${PLAIN} logs terminal`],
  ['in the past', { seen: { isPast: true } }, 'summary why yaml history events related'],
  ['who may look, and not into the trace', { rules: VIEW }, `${PLAIN} logs`],
  ['hops alone', { rules: [trace('hops')] }, 'summary why yaml events related'],
  ['versions alone', { rules: [trace('revisions')] }, 'summary yaml history events related'],
  ['who may nothing', { rules: [] }, PLAIN],
];
for (const [what, { kind = POD, rules = ALL, seen = {} }, tabs] of ROWS) {
  test(what, () => {
    const all: Seen = { rights: (wish) => mayDo(rules, wish), hasTrace: true, isPast: false, ...seen };
    const found = TAB_RULES.filter((rule) => rule.fits(kind, all)).map(({ name }) => name);
    equal(found.join(' '), tabs);
  });
}
