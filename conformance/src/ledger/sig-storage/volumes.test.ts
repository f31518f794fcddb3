/** Config maps, secrets, downward API and projections as files in real containers. */
import assert from 'node:assert/strict';
import { CONFIG_MAPS, NODES, PODS, SECRETS } from '@binnacle/api';
import type { Container, PodSpec, Volume } from '@binnacle/api/core/v1';
import { isPodReady } from '@binnacle/api';
import { logOf, outputOf, podOf, shell, untilOne } from '../objects.ts';
import { untilLog } from '../real-containers.ts';
import { behaviours } from '../world.ts';
import type { World } from '../world.ts';

const DIR = '/etc/volume';
const MOUNT = { name: 'v', mountPath: DIR, readOnly: true };

type Source = 'configMap' | 'secret';
interface How {
  readonly projected?: boolean;
  readonly defaultMode?: number;
  readonly items?: { key: string; path: string; mode?: number }[];
  readonly optional?: boolean;
}

async function make(
  world: World,
  source: Source,
  name: string,
  data: { [key: string]: string },
  namespace = world.namespace,
): Promise<void> {
  if (source === 'configMap') await world.client.resource(CONFIG_MAPS, namespace).create({ metadata: { name }, data });
  else {
    const encoded = Object.fromEntries(
      Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
    );
    await world.client.resource(SECRETS, namespace).create({ metadata: { name }, data: encoded, type: 'Opaque' });
  }
}

async function change(world: World, source: Source, name: string, data: { [key: string]: string }): Promise<void> {
  if (source === 'configMap') await world.client.resource(CONFIG_MAPS, world.namespace).patch(name, 'merge', { data });
  else await world.client.resource(SECRETS, world.namespace).patch(name, 'merge', { stringData: data });
}

function volume(source: Source, of: string, how: How = {}, name = 'v'): Volume {
  const items = how.items === undefined ? {} : { items: how.items };
  const optional = how.optional === undefined ? {} : { optional: how.optional };
  const mode = how.defaultMode === undefined ? {} : { defaultMode: how.defaultMode };
  if (how.projected === true) {
    const part = { name: of, ...items, ...optional };
    return { name, projected: { sources: [source === 'configMap' ? { configMap: part } : { secret: part }], ...mode } };
  }
  return source === 'configMap'
    ? { name, configMap: { name: of, ...items, ...optional, ...mode } }
    : { name, secret: { secretName: of, ...items, ...optional, ...mode } };
}

interface Case {
  readonly codename: string;
  readonly source: Source;
  readonly how?: How;
  readonly pod?: Partial<PodSpec>;
  readonly path?: string;
  /** As `stat -Lc %a` shows it. */
  readonly mode?: string;
}

const DATA = { 'data-1': 'value-1', 'data-2': 'value-2', 'data-3': 'value-3' };
const MAPPED = { items: [{ key: 'data-2', path: 'path/to/data-2' }] };
const MAPPED_MODE = { items: [{ key: 'data-2', path: 'path/to/data-2', mode: 0o400 }] };
const NON_ROOT = { securityContext: { runAsUser: 1000 } };
const FS_GROUP = { securityContext: { runAsUser: 1000, fsGroup: 1001 } };

const CASES: readonly Case[] = [
  {
    codename: '[sig-storage] ConfigMap should be consumable from pods in volume [NodeConformance] [Conformance]',
    source: 'configMap',
  },
  {
    codename:
      '[sig-storage] ConfigMap should be consumable from pods in volume as non-root [NodeConformance] [Conformance]',
    source: 'configMap',
    pod: NON_ROOT,
  },
  {
    codename:
      '[sig-storage] ConfigMap should be consumable from pods in volume with defaultMode set [LinuxOnly] [NodeConformance] [Conformance]',
    source: 'configMap',
    how: { defaultMode: 0o400 },
    mode: '400',
  },
  {
    codename:
      '[sig-storage] ConfigMap should be consumable from pods in volume with mappings [NodeConformance] [Conformance]',
    source: 'configMap',
    how: MAPPED,
  },
  {
    codename:
      '[sig-storage] ConfigMap should be consumable from pods in volume with mappings and Item mode set [LinuxOnly] [NodeConformance] [Conformance]',
    source: 'configMap',
    how: MAPPED_MODE,
    mode: '400',
  },
  {
    codename:
      '[sig-storage] ConfigMap should be consumable from pods in volume with mappings as non-root [NodeConformance] [Conformance]',
    source: 'configMap',
    how: MAPPED,
    pod: NON_ROOT,
  },
  {
    codename:
      '[sig-storage] Projected configMap should be consumable from pods in volume [NodeConformance] [Conformance]',
    source: 'configMap',
    how: { projected: true },
  },
  {
    codename:
      '[sig-storage] Projected configMap should be consumable from pods in volume as non-root [NodeConformance] [Conformance]',
    source: 'configMap',
    how: { projected: true },
    pod: NON_ROOT,
  },
  {
    codename:
      '[sig-storage] Projected configMap should be consumable from pods in volume with defaultMode set [LinuxOnly] [NodeConformance] [Conformance]',
    source: 'configMap',
    how: { projected: true, defaultMode: 0o400 },
    mode: '400',
  },
  {
    codename:
      '[sig-storage] Projected configMap should be consumable from pods in volume with mappings [NodeConformance] [Conformance]',
    source: 'configMap',
    how: { projected: true, ...MAPPED },
  },
  {
    codename:
      '[sig-storage] Projected configMap should be consumable from pods in volume with mappings and Item mode set [LinuxOnly] [NodeConformance] [Conformance]',
    source: 'configMap',
    how: { projected: true, ...MAPPED_MODE },
    mode: '400',
  },
  {
    codename:
      '[sig-storage] Projected configMap should be consumable from pods in volume with mappings as non-root [NodeConformance] [Conformance]',
    source: 'configMap',
    how: { projected: true, ...MAPPED },
    pod: NON_ROOT,
  },
  {
    codename: '[sig-storage] Secrets should be consumable from pods in volume [NodeConformance] [Conformance]',
    source: 'secret',
  },
  {
    codename:
      '[sig-storage] Secrets should be consumable from pods in volume with defaultMode set [LinuxOnly] [NodeConformance] [Conformance]',
    source: 'secret',
    how: { defaultMode: 0o400 },
    mode: '400',
  },
  {
    codename:
      '[sig-storage] Secrets should be consumable from pods in volume as non-root with defaultMode and fsGroup set [LinuxOnly] [NodeConformance] [Conformance]',
    source: 'secret',
    how: { defaultMode: 0o440 },
    pod: FS_GROUP,
    mode: '440',
  },
  {
    codename:
      '[sig-storage] Secrets should be consumable from pods in volume with mappings [NodeConformance] [Conformance]',
    source: 'secret',
    how: MAPPED,
  },
  {
    codename:
      '[sig-storage] Secrets should be consumable from pods in volume with mappings and Item Mode set [LinuxOnly] [NodeConformance] [Conformance]',
    source: 'secret',
    how: MAPPED_MODE,
    mode: '400',
  },
  {
    codename: '[sig-storage] Projected secret should be consumable from pods in volume [NodeConformance] [Conformance]',
    source: 'secret',
    how: { projected: true },
  },
  {
    codename:
      '[sig-storage] Projected secret should be consumable from pods in volume with defaultMode set [LinuxOnly] [NodeConformance] [Conformance]',
    source: 'secret',
    how: { projected: true, defaultMode: 0o400 },
    mode: '400',
  },
  {
    codename:
      '[sig-storage] Projected secret should be consumable from pods in volume as non-root with defaultMode and fsGroup set [LinuxOnly] [NodeConformance] [Conformance]',
    source: 'secret',
    how: { projected: true, defaultMode: 0o440 },
    pod: FS_GROUP,
    mode: '440',
  },
  {
    codename:
      '[sig-storage] Projected secret should be consumable from pods in volume with mappings [NodeConformance] [Conformance]',
    source: 'secret',
    how: { projected: true, ...MAPPED },
  },
  {
    codename:
      '[sig-storage] Projected secret should be consumable from pods in volume with mappings and Item Mode set [LinuxOnly] [NodeConformance] [Conformance]',
    source: 'secret',
    how: { projected: true, ...MAPPED_MODE },
    mode: '400',
  },
];

const MULTIPLE: readonly [codename: string, source: Source, projected: boolean][] = [
  [
    '[sig-storage] ConfigMap should be consumable in multiple volumes in the same pod [NodeConformance] [Conformance]',
    'configMap',
    false,
  ],
  [
    '[sig-storage] Projected configMap should be consumable in multiple volumes in the same pod [NodeConformance] [Conformance]',
    'configMap',
    true,
  ],
  [
    '[sig-storage] Secrets should be consumable in multiple volumes in a pod [NodeConformance] [Conformance]',
    'secret',
    false,
  ],
  [
    '[sig-storage] Projected secret should be consumable in multiple volumes in a pod [NodeConformance] [Conformance]',
    'secret',
    true,
  ],
];

const UPDATED: readonly [codename: string, source: Source, projected: boolean][] = [
  ['[sig-storage] ConfigMap updates should be reflected in volume [NodeConformance] [Conformance]', 'configMap', false],
  [
    '[sig-storage] Projected configMap updates should be reflected in volume [NodeConformance] [Conformance]',
    'configMap',
    true,
  ],
];

const OPTIONAL: readonly [codename: string, source: Source, projected: boolean][] = [
  [
    '[sig-storage] ConfigMap optional updates should be reflected in volume [NodeConformance] [Conformance]',
    'configMap',
    false,
  ],
  [
    '[sig-storage] Projected configMap optional updates should be reflected in volume [NodeConformance] [Conformance]',
    'configMap',
    true,
  ],
  [
    '[sig-storage] Secrets optional updates should be reflected in volume [NodeConformance] [Conformance]',
    'secret',
    false,
  ],
  [
    '[sig-storage] Projected secret optional updates should be reflected in volume [NodeConformance] [Conformance]',
    'secret',
    true,
  ],
];

/** A script that ends well once a condition holds, and says what it saw. */
const until = (condition: string): string => `until ${condition}; do sleep 0.2; done; echo seen`;

behaviours('containers', 'config maps and secrets in volumes', (check) => {
  for (const row of CASES) {
    check(row.codename, async (world) => {
      await make(world, row.source, 'source', DATA);
      const item = row.how?.items?.[0];
      const file = `${DIR}/${item?.path ?? 'data-1'}`;
      const script = `stat -Lc %a ${file}; cat ${file}; echo; ls ${DIR}`;
      const text = await outputOf(world, 'pod', {
        ...row.pod,
        containers: [shell(script, { volumeMounts: [MOUNT] })],
        volumes: [volume(row.source, 'source', row.how)],
      });
      const [mode, value, ...names] = text.trim().split('\n');
      assert.equal(mode, row.mode ?? '644');
      assert.equal(value, item === undefined ? 'value-1' : 'value-2');
      assert.deepEqual(
        names,
        item === undefined ? ['data-1', 'data-2', 'data-3'] : ['path'],
        'only what was asked for',
      );
    });
  }

  for (const [codename, source, projected] of MULTIPLE) {
    check(codename, async (world) => {
      await make(world, source, 'source', DATA);
      const second = { ...MOUNT, name: 'w', mountPath: '/etc/second' };
      const text = await outputOf(world, 'pod', {
        containers: [shell(`cat ${DIR}/data-1; echo; cat /etc/second/data-1`, { volumeMounts: [MOUNT, second] })],
        volumes: [volume(source, 'source', { projected }), volume(source, 'source', { projected }, 'w')],
      });
      assert.equal(text, 'value-1\nvalue-1');
    });
  }

  for (const [codename, source, projected] of UPDATED) {
    check(codename, async (world) => {
      await make(world, source, 'source', { 'data-1': 'value-1' });
      await world.client.resource(PODS, world.namespace).create(
        podOf('pod', {
          restartPolicy: 'Never',
          containers: [
            shell(`cat ${DIR}/data-1; echo; ${until(`grep -q value-2 ${DIR}/data-1`)}`, { volumeMounts: [MOUNT] }),
          ],
          volumes: [volume(source, 'source', { projected })],
        }),
      );
      await untilOne(world, PODS, { name: 'pod', what: 'running', until: isPodReady });
      await untilLog(world, { pod: 'pod' }, /value-1/);
      await change(world, source, 'source', { 'data-1': 'value-2' });
      await untilOne(world, PODS, { name: 'pod', what: 'at its end', until: (p) => p.status?.phase === 'Succeeded' });
      assert.equal(await logOf(world, 'pod'), 'value-1\nseen\n');
    });
  }

  for (const [codename, source, projected] of OPTIONAL) {
    check(codename, async (world) => {
      await make(world, source, 'del', { 'data-1': 'value-1' });
      await make(world, source, 'upd', { 'data-1': 'value-1' });
      const mounts = ['del', 'upd', 'create'].map((name) => ({ name, mountPath: `/etc/${name}`, readOnly: true }));
      const condition =
        '[ ! -e /etc/del/data-1 ] && grep -q value-3 /etc/upd/data-3 && grep -q value-1 /etc/create/data-1';
      await world.client.resource(PODS, world.namespace).create(
        podOf('pod', {
          restartPolicy: 'Never',
          containers: [
            shell(`cat /etc/del/data-1; ls /etc/create; ${until(`{ ${condition}; } 2>/dev/null`)}`, {
              volumeMounts: mounts,
            }),
          ],
          volumes: mounts.map(({ name }) => volume(source, name, { projected, optional: true }, name)),
        }),
      );
      await untilOne(world, PODS, { name: 'pod', what: 'running', until: isPodReady });
      if (source === 'configMap') await world.client.resource(CONFIG_MAPS, world.namespace).delete('del');
      else await world.client.resource(SECRETS, world.namespace).delete('del');
      await change(world, source, 'upd', { 'data-3': 'value-3' });
      await make(world, source, 'create', { 'data-1': 'value-1' });
      await untilOne(world, PODS, { name: 'pod', what: 'at its end', until: (p) => p.status?.phase === 'Succeeded' });
    });
  }

  check(
    '[sig-storage] ConfigMap binary data should be reflected in volume [NodeConformance] [Conformance]',
    async (world) => {
      const binary = Buffer.from([0xde, 0xca, 0xfe, 0xba, 0xd0, 0xfe, 0xff]);
      await world.client.resource(CONFIG_MAPS, world.namespace).create({
        metadata: { name: 'source' },
        data: { 'data-1': 'value-1' },
        binaryData: { 'dump.bin': binary.toString('base64') },
      });
      const text = await outputOf(world, 'pod', {
        containers: [
          shell(`cat ${DIR}/data-1; echo; hexdump -ve '1/1 "%02x"' ${DIR}/dump.bin`, { volumeMounts: [MOUNT] }),
        ],
        volumes: [volume('configMap', 'source')],
      });
      assert.equal(text, `value-1\n${binary.toString('hex')}`);
    },
  );

  check(
    '[sig-storage] Secrets should be able to mount in a volume regardless of a different secret existing with same name in different namespace [NodeConformance] [Conformance]',
    async (world) => {
      const other = await world.makeNamespace();
      await make(world, 'secret', 'same-name', { 'data-1': 'value-1' });
      await make(world, 'secret', 'same-name', { 'this-should-not-match-content-of-other-secret': 'x' }, other);
      const text = await outputOf(world, 'pod', {
        containers: [shell(`ls ${DIR}; cat ${DIR}/data-1`, { volumeMounts: [MOUNT] })],
        volumes: [volume('secret', 'same-name')],
      });
      assert.equal(text, 'data-1\nvalue-1');
    },
  );

  check(
    '[sig-storage] Projected combined should project all components that make up the projection API [Projection] [NodeConformance] [Conformance]',
    async (world) => {
      await make(world, 'configMap', 'cm', { 'configmap-data': 'configmap-value-1' });
      await make(world, 'secret', 'sec', { 'secret-data': 'secret-value-1' });
      const sources = [
        { configMap: { name: 'cm' } },
        { secret: { name: 'sec' } },
        { downwardAPI: { items: [{ path: 'podname', fieldRef: { fieldPath: 'metadata.name' } }] } },
      ];
      const text = await outputOf(world, 'all-three', {
        containers: [
          shell(`for f in podname secret-data configmap-data; do cat ${DIR}/$f; echo; done`, { volumeMounts: [MOUNT] }),
        ],
        volumes: [{ name: 'v', projected: { sources } }],
      });
      assert.equal(text, 'all-three\nsecret-value-1\nconfigmap-value-1\n');
    },
  );

  check('[sig-storage] EmptyDir wrapper volumes should not conflict [Conformance]', async (world) => {
    await make(world, 'secret', 'sec', { 'data-1': 'value-1' });
    await make(world, 'configMap', 'cm', { 'data-1': 'value-2' });
    const mounts = ['sec', 'cm'].map((name) => ({ name, mountPath: `/etc/${name}-volume`, readOnly: true }));
    const text = await outputOf(world, 'pod', {
      containers: [shell('cat /etc/sec-volume/data-1; echo; cat /etc/cm-volume/data-1', { volumeMounts: mounts })],
      volumes: [volume('secret', 'sec', {}, 'sec'), volume('configMap', 'cm', {}, 'cm')],
    });
    assert.equal(text, 'value-1\nvalue-2');
  });

  check(
    '[sig-storage] EmptyDir wrapper volumes should not cause race condition when used for configmaps [Serial] [Conformance]',
    async (world) => {
      const names = Array.from({ length: 50 }, (_, n) => `racey-configmap-${n}`);
      for (const name of names) await make(world, 'configMap', name, { 'data-1': 'value-1' });
      const volumes = names.map((name) => volume('configMap', name, {}, name));
      const volumeMounts = names.map((name) => ({ name, mountPath: `/etc/config-${name}` }));
      const counted = await Promise.all(
        [0, 1, 2, 3, 4].map((n) =>
          outputOf(world, `racer-${n}`, {
            containers: [shell('cat /etc/config-*/data-1 | tr -d "\\n" | wc -c', { volumeMounts })],
            volumes,
          }),
        ),
      );
      for (const text of counted) assert.equal(Number(text), 50 * 'value-1'.length);
    },
  );
});

interface Downward {
  /** As a volume of its own, and projected. */
  readonly codenames: readonly [string, string];
  readonly item: object;
  readonly expected: string | ((world: World) => Promise<string>);
  readonly mode?: string;
  readonly defaultMode?: number;
  readonly resources?: Container['resources'];
}

const RESOURCES = { requests: { cpu: '250m', memory: '32Mi' }, limits: { cpu: '1250m', memory: '64Mi' } };
const resource = (name: string, divisor: string) => ({
  path: 'out',
  resourceFieldRef: { containerName: 'c', resource: name, divisor },
});

async function allocatable(world: World, name: 'cpu' | 'memory'): Promise<string> {
  const [node] = (await world.client.resource(NODES).list()).items;
  const quantity = node?.status?.allocatable?.[name] ?? '';
  const number = Number.parseInt(quantity, 10);
  if (name === 'cpu') return String(quantity.endsWith('m') ? Math.ceil(number / 1000) : number);
  return String(number * (quantity.endsWith('Ki') ? 1024 : quantity.endsWith('Mi') ? 1024 ** 2 : 1));
}

const PODNAME = { path: 'out', fieldRef: { fieldPath: 'metadata.name' } };

const DOWNWARD: readonly Downward[] = [
  {
    codenames: [
      '[sig-storage] Downward API volume should provide podname only [NodeConformance] [Conformance]',
      '[sig-storage] Projected downwardAPI should provide podname only [NodeConformance] [Conformance]',
    ],
    item: PODNAME,
    expected: 'pod',
  },
  {
    codenames: [
      '[sig-storage] Downward API volume should set DefaultMode on files [LinuxOnly] [NodeConformance] [Conformance]',
      '[sig-storage] Projected downwardAPI should set DefaultMode on files [LinuxOnly] [NodeConformance] [Conformance]',
    ],
    item: PODNAME,
    expected: 'pod',
    defaultMode: 0o400,
    mode: '400',
  },
  {
    codenames: [
      '[sig-storage] Downward API volume should set mode on item file [LinuxOnly] [NodeConformance] [Conformance]',
      '[sig-storage] Projected downwardAPI should set mode on item file [LinuxOnly] [NodeConformance] [Conformance]',
    ],
    item: { ...PODNAME, mode: 0o400 },
    expected: 'pod',
    mode: '400',
  },
  {
    codenames: [
      "[sig-storage] Downward API volume should provide container's cpu limit [NodeConformance] [Conformance]",
      "[sig-storage] Projected downwardAPI should provide container's cpu limit [NodeConformance] [Conformance]",
    ],
    item: resource('limits.cpu', '1m'),
    expected: '1250',
    resources: RESOURCES,
  },
  {
    codenames: [
      "[sig-storage] Downward API volume should provide container's cpu request [NodeConformance] [Conformance]",
      "[sig-storage] Projected downwardAPI should provide container's cpu request [NodeConformance] [Conformance]",
    ],
    item: resource('requests.cpu', '1m'),
    expected: '250',
    resources: RESOURCES,
  },
  {
    codenames: [
      "[sig-storage] Downward API volume should provide container's memory limit [NodeConformance] [Conformance]",
      "[sig-storage] Projected downwardAPI should provide container's memory limit [NodeConformance] [Conformance]",
    ],
    item: resource('limits.memory', '1'),
    expected: String(64 * 1024 ** 2),
    resources: RESOURCES,
  },
  {
    codenames: [
      "[sig-storage] Downward API volume should provide container's memory request [NodeConformance] [Conformance]",
      "[sig-storage] Projected downwardAPI should provide container's memory request [NodeConformance] [Conformance]",
    ],
    item: resource('requests.memory', '1'),
    expected: String(32 * 1024 ** 2),
    resources: RESOURCES,
  },
  {
    codenames: [
      '[sig-storage] Downward API volume should provide node allocatable (cpu) as default cpu limit if the limit is not set [NodeConformance] [Conformance]',
      '[sig-storage] Projected downwardAPI should provide node allocatable (cpu) as default cpu limit if the limit is not set [NodeConformance] [Conformance]',
    ],
    item: resource('limits.cpu', '1'),
    expected: (world) => allocatable(world, 'cpu'),
  },
  {
    codenames: [
      '[sig-storage] Downward API volume should provide node allocatable (memory) as default memory limit if the limit is not set [NodeConformance] [Conformance]',
      '[sig-storage] Projected downwardAPI should provide node allocatable (memory) as default memory limit if the limit is not set [NodeConformance] [Conformance]',
    ],
    item: resource('limits.memory', '1'),
    expected: (world) => allocatable(world, 'memory'),
  },
];

/** What changes while the pod runs. */
const MODIFIED = [
  {
    field: 'labels',
    codenames: [
      '[sig-storage] Downward API volume should update labels on modification [NodeConformance] [Conformance]',
      '[sig-storage] Projected downwardAPI should update labels on modification [NodeConformance] [Conformance]',
    ],
  },
  {
    field: 'annotations',
    codenames: [
      '[sig-storage] Downward API volume should update annotations on modification [NodeConformance] [Conformance]',
      '[sig-storage] Projected downwardAPI should update annotations on modification [NodeConformance] [Conformance]',
    ],
  },
] as const;

behaviours('containers', 'downward API in volumes', (check) => {
  const volumeOf = (projected: boolean, items: object[], defaultMode?: number): Volume => {
    const mode = defaultMode === undefined ? {} : { defaultMode };
    const part = { items } as NonNullable<Volume['downwardAPI']>;
    return projected
      ? { name: 'v', projected: { sources: [{ downwardAPI: part }], ...mode } }
      : { name: 'v', downwardAPI: { ...part, ...mode } };
  };
  for (const [index, projected] of [false, true].entries()) {
    for (const row of DOWNWARD) {
      check(row.codenames[index] as string, async (world) => {
        const text = await outputOf(world, 'pod', {
          containers: [
            shell(`stat -Lc %a ${DIR}/out; cat ${DIR}/out`, {
              volumeMounts: [MOUNT],
              ...(row.resources === undefined ? {} : { resources: row.resources }),
            }),
          ],
          volumes: [volumeOf(projected, [row.item], row.defaultMode)],
        });
        const [mode, value] = text.split('\n');
        assert.equal(mode, row.mode ?? '644');
        assert.equal(value, typeof row.expected === 'string' ? row.expected : await row.expected(world));
      });
    }
    for (const { field, codenames } of MODIFIED) {
      check(codenames[index] as string, async (world) => {
        const pods = world.client.resource(PODS, world.namespace);
        await pods.create(
          podOf(
            'pod',
            {
              restartPolicy: 'Never',
              containers: [
                shell(`cat ${DIR}/out; echo; ${until(`grep -q 'key3="value3"' ${DIR}/out`)}`, {
                  volumeMounts: [MOUNT],
                }),
              ],
              volumes: [volumeOf(projected, [{ path: 'out', fieldRef: { fieldPath: `metadata.${field}` } }])],
            },
            { [field]: { key1: 'value1', key2: 'value2' } },
          ),
        );
        await untilOne(world, PODS, { name: 'pod', what: 'running', until: isPodReady });
        await pods.patch('pod', 'merge', { metadata: { [field]: { key3: 'value3' } } });
        await untilOne(world, PODS, {
          name: 'pod',
          what: 'at its end',
          until: (p) => p.status?.phase === 'Succeeded',
        });
        assert.match(await logOf(world, 'pod'), /^key1="value1"\nkey2="value2"\n/m);
      });
    }
  }
});
