import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import type { Resource } from '../api/discovery.ts';
import type { ApiObject } from '../live/rows.ts';
import { createObjects } from './create-objects.ts';
import type { CreateWish, Outcome, Written } from './create-objects.ts';

const kind = (group: string, version: string, resource: string, name: string, namespaced = true): Resource => ({
  ...{ group, version, resource, kind: name, namespaced },
  ...{ shortNames: [], categories: [], verbs: ['create', 'list'], subresources: [] },
});
const PODS = kind('', 'v1', 'pods', 'Pod');
const SCALERS = kind('autoscaling', 'v2', 'horizontalpodautoscalers', 'HorizontalPodAutoscaler');
const DEFINITIONS = kind('apiextensions.k8s.io', 'v1', 'customresourcedefinitions', 'CustomResourceDefinition', false);
const SPACES = kind('', 'v1', 'namespaces', 'Namespace', false);
const KINDS = [PODS, SCALERS, DEFINITIONS, SPACES];
const WIDGETS = kind('example.org', 'v1', 'widgets', 'Widget');

interface Server {
  /** What discovery says, time after time; then always the last. */
  readonly served?: readonly (readonly Resource[])[];
  /** Names that are refused. */
  readonly refused?: readonly string[];
}

async function create(written: readonly Written[], wish: Partial<CreateWish> = {}, server: Server = {}) {
  const sent: string[] = [];
  const told: number[] = [];
  let [asked, waited] = [0, 0];
  const served = server.served ?? [KINDS];
  const outcomes = await createObjects(
    written,
    { isTrial: false, kinds: KINDS, fallback: PODS, namespace: 'here', ...wish },
    {
      send: async ({ method, path, body }) => {
        const { metadata } = body as { readonly metadata?: { readonly name?: string } | null };
        sent.push(`${method} ${path.replace('fieldValidation=Warn&fieldManager=binnacle-dashboard', '')}`);
        if (server.refused?.includes(metadata?.name ?? '')) throw new TypeError(`${metadata?.name} is refused`);
        return { value: body as ApiObject, warnings: metadata?.name === 'old' ? ['it is old'] : [] };
      },
      discover: async () => served[Math.min(asked++, served.length - 1)] ?? [],
      wait: async () => void waited++,
      tell: (all) => told.push(all.length),
    },
  );
  return { sent, told, asked, waited, outcomes };
}

const lineOf = ({ title, made, warnings, error }: Outcome): string =>
  [title, made === undefined ? `✗ ${error}` : '✓', ...warnings].join(' ');
const POD = { apiVersion: 'v1', kind: 'Pod' };

test('one after the other, each in its place and with its own result', async () => {
  const written = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } },
    { ...POD, metadata: { name: 'a', namespace: 'n' } },
    { ...POD, metadata: { name: 'b' } },
    { ...POD, metadata: { name: 'old' } },
    { ...POD, metadata: { generateName: 'c-' } },
    { apiVersion: 'autoscaling/v1', kind: 'HorizontalPodAutoscaler', metadata: { name: 'h' } },
  ];
  const { sent, told, outcomes } = await create(written, {}, { refused: ['b'] });
  deepEqual(sent, [
    'POST /api/v1/namespaces?',
    'POST /api/v1/namespaces/n/pods?',
    ...Array.from({ length: 3 }, () => 'POST /api/v1/namespaces/here/pods?'),
    'POST /apis/autoscaling/v1/namespaces/here/horizontalpodautoscalers?',
  ]);
  deepEqual(outcomes.map(lineOf), [
    'namespaces/n ✓',
    'pods/a ✓',
    'pods/b ✗ b is refused',
    'pods/old ✓ it is old',
    'pods/c-… ✓',
    'horizontalpodautoscalers.autoscaling/h ✓',
  ]);
  deepEqual(told, [1, 2, 3, 4, 5, 6]);
});

test('a trial makes nothing', async () => {
  const { sent } = await create([{ ...POD, metadata: { name: 'a' } }], { isTrial: true });
  deepEqual(sent, ['POST /api/v1/namespaces/here/pods?&dryRun=All']);
});

test('what says no kind is of the kind that the page is about', async () => {
  const { outcomes } = await create([{ metadata: { name: 'a' } }, {}, { metadata: null }]);
  deepEqual(outcomes.map(lineOf), ['pods/a ✓', 'pods/… ✓', 'pods/… ✓']);
});

const WIDGET = { apiVersion: 'example.org/v1', kind: 'Widget', metadata: { name: 'w' } };

test('a kind that nobody serves is said to be none, and asked for once', async () => {
  const { outcomes, asked, waited } = await create([WIDGET, WIDGET, { kind: 'Pod' }]);
  deepEqual(outcomes.map(lineOf), [
    'Widget/w ✗ no matches for kind "Widget" in version "example.org/v1"',
    'Widget/w ✗ no matches for kind "Widget" in version "example.org/v1"',
    'Pod/… ✗ no matches for kind "Pod" in version ""',
  ]);
  deepEqual([asked, waited], [1, 0]);
});

test('an object of a kind that was defined just before is made as soon as that is served', async () => {
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'x' },
  };
  const { outcomes, waited } = await create([definition, WIDGET], {}, { served: [KINDS, KINDS, [...KINDS, WIDGETS]] });
  deepEqual(outcomes.map(lineOf), ['customresourcedefinitions.apiextensions.k8s.io/x ✓', 'widgets.example.org/w ✓']);
  equal(waited, 2);
  const never = await create([definition, WIDGET, WIDGET]);
  equal(never.outcomes.filter(({ error }) => error !== undefined).length, 2);
  equal(never.asked, 10);
});

test('where discovery fails, that is the result', async () => {
  const outcomes = await createObjects(
    [WIDGET],
    { isTrial: false, kinds: KINDS, fallback: PODS, namespace: 'here' },
    {
      send: () => Promise.reject(new TypeError('not to be sent')),
      discover: () => Promise.reject(new TypeError('lost')),
      wait: async () => undefined,
      tell: () => undefined,
    },
  );
  deepEqual(outcomes.map(lineOf), ['Widget/w ✗ lost']);
});
