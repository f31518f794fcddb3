import assert from 'node:assert/strict';
import test, { describe, it } from 'node:test';
import { schemas } from '@binnacle/api';
import { definitionName, definitions } from './definition.ts';
import { descriptionOf } from './descriptions.ts';
import { V3 } from './dialect.ts';
import { DEFINITION_TEXTS } from './texts/definitions.ts';
import { OBJECT_TEXTS } from './texts/objects.ts';
import { PART_TEXTS } from './texts/parts.ts';
import { POD_TEXTS } from './texts/pods.ts';

/** To be made smaller only. */
const MISSING_MAX = 269;

const ROWS: readonly (readonly [
  what: string,
  struct: string,
  field: string,
  isObject: boolean,
  text: RegExp | undefined,
])[] = [
  ['of every object', 'core.v1.Pod', 'apiVersion', true, /^APIVersion defines/],
  ['of its metadata', 'core.v1.Pod', 'metadata', true, /^Standard object's metadata/],
  ['of when it was made', 'meta.v1.ObjectMeta', 'creationTimestamp', false, /^CreationTimestamp is a timestamp/],
  ['of a field that only some have', 'core.v1.Binding', 'target', true, undefined],
  ['of a kind that is another field', 'core.v1.ObjectReference', 'kind', false, undefined],
  ['of a name of Object', 'constructor', 'constructor', true, undefined],
];
for (const [what, struct, field, isObject, text] of ROWS) {
  test(`what is said ${what}`, () => {
    const { description } = descriptionOf(struct, field, isObject);
    if (text === undefined) assert.equal(description, undefined);
    else assert.match(String(description), text);
  });
}

test('every field of the metadata is described', () => {
  const fields = Object.keys(schemas.struct('meta.v1.ObjectMeta')?.fields ?? {});
  assert.ok(fields.length > 10);
  for (const field of fields) {
    assert.ok(descriptionOf('meta.v1.ObjectMeta', field, false)['description'] !== undefined, field);
  }
});

describe('texts', () => {
  const texts: { readonly [struct: string]: { readonly [field: string]: string } } = {
    ...{ ...POD_TEXTS, ...OBJECT_TEXTS },
    ...{ ...PART_TEXTS, ...DEFINITION_TEXTS },
  };
  const shown = definitions(schemas, Object.keys(texts), { dialect: V3, kinds: new Map() }) as {
    readonly [name: string]: {
      readonly description?: string;
      readonly properties?: { readonly [field: string]: { readonly description?: string } };
    };
  };

  it('are sentences of 25 words at most', () => {
    for (const [struct, fields] of Object.entries(texts)) {
      for (const [field, text] of Object.entries(fields)) {
        assert.ok(text.split(' ').length <= 25, `${struct} ${field}: ${text}`);
        assert.match(text, /^["A-Za-z0-9$].*[.…]$/, `${struct} ${field}`);
      }
    }
  });

  it('are of fields that are there, and are shown there', () => {
    for (const [struct, fields] of Object.entries(texts)) {
      const definition = shown[definitionName(struct)];
      for (const [field, text] of Object.entries(fields)) {
        const told = field === '' ? definition?.description : definition?.properties?.[field]?.description;
        assert.equal(told, text, `${struct} ${field}`);
      }
    }
  });

  it('leave out nothing that people write into pods, workloads, Services and rights', () => {
    const whole = [
      ...[
        'Container',
        'ContainerPort',
        'EnvVar',
        'PodSpec',
        'Probe',
        'SecurityContext',
        'PodSecurityContext',
        'Service',
      ],
      ...[
        'ServicePort',
        'ServiceSpec',
        'ConfigMap',
        'Secret',
        'PersistentVolumeClaimSpec',
        'Toleration',
        'VolumeMount',
      ],
    ].map((name) => `core.v1.${name}`);
    const more = [
      'apps.v1.DeploymentSpec',
      'apps.v1.StatefulSetSpec',
      'apps.v1.DaemonSetSpec',
      'apps.v1.ReplicaSetSpec',
    ];
    for (const struct of [...whole, ...more, 'batch.v1.JobSpec', 'batch.v1.CronJobSpec', 'rbac.v1.PolicyRule']) {
      const { properties = {} } = shown[definitionName(struct)] ?? {};
      const bare = Object.entries(properties).filter(([, { description }]) => description === undefined);
      assert.deepEqual([struct, ...bare.map(([field]) => field)], [struct]);
    }
  });

  it('leave out nothing of definitions of kinds, workloads but for their pods, rights, and slices of endpoints', () => {
    const roots = [
      'apps.v1.DaemonSet',
      'apps.v1.Deployment',
      'apps.v1.ReplicaSet',
      'apps.v1.StatefulSet',
      'batch.v1.Job',
    ];
    const more = ['batch.v1.CronJob', 'apiextensions.v1.CustomResourceDefinition', 'rbac.v1.ClusterRole'];
    const all = definitions(schemas, [...roots, ...more, 'rbac.v1.RoleBinding', 'discovery.v1.EndpointSlice'], {
      dialect: V3,
      kinds: new Map(),
    }) as typeof shown;
    const bare = Object.entries(all).flatMap(([name, { properties = {} }]) => {
      if (name.includes('.core.v1.')) return [];
      return Object.entries(properties).flatMap(([field, { description }]) =>
        description === undefined ? [`${name} ${field}`] : [],
      );
    });
    assert.deepEqual(bare, []);
  });

  it('are missing of rare volume sources and what else few people ask about; of no more fields than today', () => {
    const roots = ['Pod', 'Service', 'ConfigMap', 'Secret', 'PersistentVolume', 'PersistentVolumeClaim'];
    const names = roots.map((name) => `core.v1.${name}`);
    const all = definitions(schemas, names, { dialect: V3, kinds: new Map() }) as typeof shown;
    const bare = Object.values(all).flatMap(({ properties = {} }) =>
      Object.values(properties).filter(({ description }) => description === undefined),
    );
    assert.ok(bare.length <= MISSING_MAX, `${bare.length} fields without a text`);
  });
});
