import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PluginFactory } from '../handle.ts';
import { DEFAULT_PLUGINS } from '../profile.ts';
import { readSchedulerConfiguration } from './configuration.ts';
import type { SchedulerConfiguration } from './configuration.ts';

const HEAD = { apiVersion: 'kubescheduler.config.k8s.io/v1', kind: 'KubeSchedulerConfiguration' };
const own: PluginFactory = { name: 'Own', create: () => ({ name: 'Own', score: () => undefined }) };

function read(body: object): SchedulerConfiguration {
  return readSchedulerConfiguration({ ...HEAD, ...body }, [own]);
}

function pluginsOf(body: object): string[] {
  return read(body).profiles[0]?.plugins.map((p) => p.factory.name) ?? [];
}

test('an empty file is the default scheduler, with leader election as upstream', () => {
  const { profiles, extenders, leaderElection, podInitialBackoffMs, podMaxBackoffMs } = read({});
  assert.deepEqual(
    profiles.map((p) => [p.schedulerName, p.plugins.map((x) => [x.factory.name, x.weight])]),
    [['default-scheduler', DEFAULT_PLUGINS.map((x) => [x.factory.name, x.weight])]],
  );
  assert.deepEqual([extenders, podInitialBackoffMs, podMaxBackoffMs], [[], 1_000, 10_000]);
  assert.deepEqual(leaderElection, {
    leaseMs: 15_000,
    renewDeadlineMs: 10_000,
    retryMs: 2_000,
    name: 'kube-scheduler',
    namespace: 'kube-system',
  });
  assert.equal(read({ leaderElection: { leaderElect: false } }).leaderElection, undefined);
});

test('multiPoint takes away, replaces in place and adds', () => {
  const plugins = pluginsOf({
    profiles: [
      {
        plugins: {
          multiPoint: {
            enabled: [
              { name: 'Own', weight: 5 },
              { name: 'TaintToleration', weight: 9 },
            ],
            disabled: [{ name: 'ImageLocality' }],
          },
        },
      },
    ],
  });
  assert.equal(plugins.includes('ImageLocality'), false);
  assert.equal(plugins.at(-1), 'Own');
  assert.equal(
    plugins.indexOf('TaintToleration'),
    DEFAULT_PLUGINS.findIndex((p) => p.factory.name === 'TaintToleration'),
  );
});

test('at a point: what it names again comes first, then multiPoint, then what only it names', () => {
  const [profile] = read({
    profiles: [
      {
        plugins: {
          filter: { enabled: [{ name: 'NodeResourcesFit' }], disabled: [{ name: 'NodePorts' }] },
          score: { disabled: [{ name: '*' }], enabled: [{ name: 'Own', weight: 7 }] },
        },
      },
    ],
  }).profiles;
  assert.deepEqual(profile?.points?.filter?.slice(0, 2), ['NodeResourcesFit', 'SchedulingGates']);
  assert.equal(profile?.points?.filter?.includes('NodePorts'), false);
  assert.deepEqual(profile?.points?.score, ['Own']);
  assert.equal(profile?.plugins.find((p) => p.factory.name === 'Own')?.weight, 7);
});

test('arguments are read, with what an extender manages left to it', () => {
  const { profiles, extenders } = read({
    profiles: [
      {
        schedulerName: 'packer',
        pluginConfig: [
          {
            name: 'NodeResourcesFit',
            args: { scoringStrategy: { type: 'MostAllocated', resources: [{ name: 'cpu', weight: 3 }] } },
          },
        ],
      },
    ],
    extenders: [
      {
        urlPrefix: 'http://127.0.0.1:1/s',
        filterVerb: 'filter',
        prioritizeVerb: 'prioritize',
        weight: 2,
        enableHTTPS: true,
        httpTimeout: '1m1500000us',
        managedResources: [{ name: 'example.com/gpu', ignoredByScheduler: true }],
        tlsConfig: { caData: btoa('PEM'), certFile: '/etc/c.pem' },
        ignorable: true,
      },
    ],
  });
  const fit = profiles[0]?.plugins.find((p) => p.factory.name === 'NodeResourcesFit');
  assert.deepEqual(fit?.args, {
    scoringStrategy: { type: 'MostAllocated', resources: [{ name: 'cpu', weight: 3 }] },
    ignoredResources: ['example.com/gpu'],
  });
  assert.deepEqual(extenders[0], {
    urlPrefix: 'https://127.0.0.1:1/s',
    filterVerb: 'filter',
    prioritizeVerb: 'prioritize',
    weight: 2,
    trust: { ca: 'PEM', files: { certificate: '/etc/c.pem' } },
    timeoutMs: 61_500,
    nodeCacheCapable: false,
    managedResources: [{ name: 'example.com/gpu', ignoredByScheduler: true }],
    ignorable: true,
  });
});

const profile = (body: object): object => ({ profiles: [body] });
const config = (name: string, args: object): object => profile({ pluginConfig: [{ name, args }] });

test('an extender over HTTPS of whose authority nothing is said is believed, as upstream does', () => {
  const trustOf = (more: object) => read({ extenders: [{ urlPrefix: 'https://h/s', ...more }] }).extenders[0]?.trust;
  assert.deepEqual(trustOf({ enableHTTPS: true }), { insecure: true, files: {} });
  assert.deepEqual(trustOf({ enableHTTPS: true, tlsConfig: { serverName: 'x' } }), {
    ...{ insecure: true, serverName: 'x', files: {} },
  });
  for (const tlsConfig of [{ caFile: '/ca' }, { caData: btoa('PEM') }]) {
    assert.equal(trustOf({ enableHTTPS: true, tlsConfig })?.insecure, undefined);
  }
  assert.equal(trustOf({}), undefined);
});

const REFUSED: readonly { name: string; body: object; message: string }[] = [
  ...['cpu', 'pods', 'kubernetes.io/x', 'bad_/x'].map((name) => ({
    name: `an extender that manages ${name}`,
    body: { extenders: [{ urlPrefix: 'http://h/s', managedResources: [{ name, ignoredByScheduler: true }] }] },
    message: `extenders: managed resource ${name} is an invalid extended resource name`,
  })),
  { name: 'an unknown field', body: { foo: 1 }, message: 'unknown field "foo"' },
  { name: 'a key of Object.prototype', body: { constructor: 1 }, message: 'unknown field "constructor"' },
  {
    name: 'an unknown field far inside',
    body: profile({ plugins: { filter: { enabled: [{ name: 'NodeName', color: 'red' }] } } }),
    message: 'unknown field "profiles[0].plugins.filter.enabled[0].color"',
  },
  {
    name: 'another version',
    body: { apiVersion: 'kubescheduler.config.k8s.io/v1beta3' },
    message: `apiVersion: must be one of ${HEAD.apiVersion}`,
  },
  {
    name: 'a plugin that nobody knows',
    body: profile({ plugins: { multiPoint: { enabled: [{ name: 'Nobody' }] } } }),
    message: 'plugin "Nobody" does not exist',
  },
  {
    name: 'a plugin twice',
    body: profile({ plugins: { multiPoint: { enabled: [{ name: 'Own' }, { name: 'Own' }] } } }),
    message: 'plugin "Own" already registered as MultiPoint',
  },
  {
    name: 'a point that is none here',
    body: profile({ plugins: { preScore: { disabled: [{ name: 'NodeAffinity' }] } } }),
    message: 'profiles[0].plugins.preScore: preScore and score are one point here: switch plugins on and off at score',
  },
  {
    name: 'two profiles of one name',
    body: { profiles: [{ schedulerName: 'a' }, { schedulerName: 'a' }] },
    message: 'profiles: duplicate value: "a"',
  },
  {
    name: 'a profile without a name among several',
    body: { profiles: [{ schedulerName: 'a' }, {}] },
    message: 'profiles[1].schedulerName: required value',
  },
  {
    name: 'arguments for a plugin that takes none',
    body: config('NodeName', { x: 1 }),
    message: 'profiles[0].pluginConfig[0].args: plugin NodeName takes no arguments',
  },
  {
    name: 'a weight out of bounds',
    body: config('InterPodAffinity', { hardPodAffinityWeight: 101 }),
    message: 'profiles[0].pluginConfig[0].args.hardPodAffinityWeight: must be between 0 and 100',
  },
  {
    name: 'default constraints of type System',
    body: config('PodTopologySpread', {
      defaultConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' }],
    }),
    message: 'profiles[0].pluginConfig[0].args.defaultingType: when using constraints it must be List',
  },
  {
    name: 'a ratio without a shape',
    body: config('NodeResourcesFit', { scoringStrategy: { type: 'RequestedToCapacityRatio' } }),
    message: 'profiles[0].pluginConfig[0].args.scoringStrategy.requestedToCapacityRatio: required value',
  },
  {
    name: 'a lease shorter than its renewal',
    body: { leaderElection: { leaseDuration: '5s' } },
    message: 'leaderElection.leaseDuration: LeaseDuration must be greater than RenewDeadline',
  },
  {
    name: 'a lease of no duration',
    body: { leaderElection: { leaseDuration: '15' } },
    message: 'leaderElection.leaseDuration: time: missing unit in duration "15"',
  },
  {
    name: 'limits that nobody keeps',
    body: { clientConnection: { qps: 5 } },
    message: 'clientConnection.qps: limits of the client are not supported yet',
  },
  {
    name: 'two binders',
    body: { extenders: ['a', 'b'].map((h) => ({ urlPrefix: `http://${h}`, bindVerb: 'bind' })) },
    message: 'extenders: found 2 extenders implementing bind, only one allowed',
  },
  {
    name: 'an extender that scores without a weight',
    body: { extenders: [{ urlPrefix: 'http://a', prioritizeVerb: 'p' }] },
    message: 'extenders[0].weight: must have a positive weight applied to it',
  },
  {
    name: 'no back-off',
    body: { podInitialBackoffSeconds: 0 },
    message: 'podInitialBackoffSeconds: must be greater than 0',
  },
];

for (const row of REFUSED) {
  test(`refused: ${row.name}`, () => assert.throws(() => read(row.body), { message: row.message }));
}

for (const [args, expected] of [
  [{}, {}],
  [
    { bindingTimeout: '10m', filterTimeout: '10s' },
    { bindingTimeoutMs: 600_000, filterTimeoutMs: 10_000 },
  ],
  [{ kind: 'DynamicResourcesArgs', filterTimeout: '0s' }, { filterTimeoutMs: 0 }],
  [{ bindingTimeout: '999ms' }, /bindingTimeout: must be at least 1 second/],
  [{ filterTimeout: '-1s' }, /filterTimeout: time: invalid duration/],
  [{ timeout: '1s' }, /unknown field .*timeout/],
] as const)
  test(`arguments of DynamicResources: ${JSON.stringify(args)}`, () => {
    const of = (): unknown => {
      const [profile] = read({ profiles: [{ pluginConfig: [{ name: 'DynamicResources', args }] }] }).profiles;
      return profile?.plugins.find(({ factory }) => factory.name === 'DynamicResources')?.args;
    };
    if (expected instanceof RegExp) assert.throws(of, expected);
    else assert.deepEqual(of(), expected);
  });
