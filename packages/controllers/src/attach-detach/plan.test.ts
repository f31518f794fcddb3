import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { planAttachments } from './plan.ts';
import type { AttachmentPlan, AttachmentView, VolumeHost } from './plan.ts';

const IDLE: VolumeHost = { inUse: false, ready: true, outOfService: false };
const NOTHING: AttachmentPlan = { detach: [], attach: [], blocked: [] };

interface Row {
  readonly name: string;
  readonly wanted?: readonly string[];
  /** Node → for how long it has been unwanted, or that it is leaving. */
  readonly at?: { readonly [node: string]: number | 'leaving' };
  readonly hosts?: { readonly [node: string]: Partial<VolumeHost> };
  readonly shared?: boolean;
  readonly patienceMs?: number;
  readonly plan: Partial<AttachmentPlan>;
}

const ROWS: readonly Row[] = [
  { name: 'nobody wants it and it is nowhere', plan: {} },
  { name: 'wanted on a node', wanted: ['a'], plan: { attach: ['a'] } },
  { name: 'where it is wanted', wanted: ['a'], at: { a: 0 }, plan: {} },
  { name: 'wanted on two nodes, one at a time', wanted: ['a', 'b'], plan: { attach: ['a'], blocked: ['b'] } },
  { name: 'wanted on two nodes, shared', wanted: ['a', 'b'], shared: true, plan: { attach: ['a', 'b'] } },
  {
    name: 'on another node, in use',
    wanted: ['b'],
    at: { a: 0 },
    hosts: { a: { inUse: true } },
    plan: { blocked: ['b'] },
  },
  {
    name: 'on another node, idle: away from there first',
    wanted: ['b'],
    at: { a: 0 },
    hosts: { a: {} },
    plan: { detach: [{ node: 'a', forced: false }], blocked: ['b'] },
  },
  { name: 'on its way from another node', wanted: ['b'], at: { a: 'leaving' }, plan: { blocked: ['b'] } },
  { name: 'wanted again on the node that it leaves', wanted: ['a'], at: { a: 'leaving' }, plan: {} },
  {
    name: 'shared: comes and goes at once',
    wanted: ['b'],
    at: { a: 0 },
    hosts: { a: {} },
    shared: true,
    plan: { detach: [{ node: 'a', forced: false }], attach: ['b'] },
  },
  { name: 'in use on a node that is well, for a day', at: { a: 86_400_000 }, hosts: { a: { inUse: true } }, plan: {} },
  {
    name: 'in use on a node that is not ready',
    at: { a: 60_000 },
    hosts: { a: { inUse: true, ready: false } },
    plan: { againInMs: 300_000 },
  },
  {
    name: 'in use on a node that has not been ready for long',
    at: { a: 360_000 },
    hosts: { a: { inUse: true, ready: false } },
    plan: { detach: [{ node: 'a', forced: true }] },
  },
  {
    name: 'the same, and nobody may force',
    at: { a: 360_000 },
    hosts: { a: { inUse: true, ready: false } },
    patienceMs: Number.POSITIVE_INFINITY,
    plan: {},
  },
  {
    name: 'in use on a node that is out of service',
    at: { a: 0 },
    hosts: { a: { inUse: true, outOfService: true } },
    plan: { detach: [{ node: 'a', forced: true }] },
  },
  { name: 'on a node that is gone', at: { a: 0 }, plan: { againInMs: 360_000 } },
  {
    name: 'on a node that has been gone for long',
    at: { a: 400_000 },
    plan: { detach: [{ node: 'a', forced: true }] },
  },
];

for (const { name, wanted = [], at = {}, hosts = {}, shared = false, patienceMs = 360_000, plan } of ROWS) {
  test(`where a volume is to be: ${name}`, () => {
    const view: AttachmentView = {
      wanted,
      attachments: Object.entries(at).map(([node, since]) => ({
        node,
        leaving: since === 'leaving',
        unwantedMs: since === 'leaving' ? 0 : since,
      })),
      hosts: new Map(Object.entries(hosts).map(([node, host]) => [node, { ...IDLE, ...host }])),
      exclusive: !shared,
      patienceMs,
    };
    assert.deepEqual(planAttachments(view), { ...NOTHING, ...plan });
  });
}
