import type { Scale } from '@binnacle/api/autoscaling/v1';
import { formatSelector, selectorFromObject, selectorFromSet, status } from '@binnacle/machinery';
import type { KubeObject, LabelSelector, SchemaRegistry } from '@binnacle/machinery';
import { readObject } from './body.ts';
import type { Call, Reply, SubresourceDefinition } from '../catalogue/definition.ts';
import { entryOf } from './get.ts';
import { patchedAs, readPatch } from './patch.ts';
import type { Changer } from './change.ts';
import { specChange } from './update.ts';

const SCALE = { group: 'autoscaling', version: 'v1', kind: 'Scale', schema: 'autoscaling.v1.Scale' };

/** What all scalable kinds have in common. */
interface Scalable extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly selector?: LabelSelector | { readonly [label: string]: string };
  };
  readonly status?: { readonly replicas?: number };
}

/** How a kind's objects are seen as a Scale, and changed by one. */
export interface ScaleView {
  read(object: KubeObject): Scale;
  /** A new object; `before` stays as it is. */
  write(before: KubeObject, scale: Scale): KubeObject;
}

export interface ScaleWorld {
  readonly changer: Changer;
  /** Absent: `spec.replicas`, `status.replicas` and `spec.selector`. */
  readonly view?: ScaleView;
  /** Has the struct of Scale. */
  readonly schemas: SchemaRegistry;
}

/** `…/scale`: the number of replicas of any scalable kind, as an object of its own. */
export function createScale({ changer, schemas, view = PLAIN_VIEW }: ScaleWorld): SubresourceDefinition {
  return {
    handlers: {
      get: (call) => ({ kind: 'object', code: 200, object: view.read(call.served.view(entryOf(call))) }),
      async update(call) {
        const scale = (await readObject(schemas, call, SCALE)) as Scale;
        if ((scale.metadata.name ?? call.info.name) !== call.info.name) {
          throw status.badRequest(
            `the name of the object (${scale.metadata.name ?? ''}) does not match the name on the URL (${call.info.name})`,
          );
        }
        return scaled(changer, call, { view, retries: false, produce: (before) => view.write(before, scale) });
      },
      async patch(call) {
        const patching = await readPatch(call);
        return scaled(changer, call, {
          view,
          retries: true,
          produce(before) {
            const { schema } = SCALE;
            return view.write(before, patchedAs<Scale>(call, patching, { target: view.read(before), schemas, schema }));
          },
        });
      },
    },
  };
}

interface Scaling {
  readonly view: ScaleView;
  readonly retries: boolean;
  readonly produce: (before: KubeObject) => KubeObject;
}

async function scaled(changer: Changer, call: Call, { view, retries, produce }: Scaling): Promise<Reply> {
  const reply = await changer.change(call, {
    ...specChange(call),
    produce(before) {
      if (before === undefined) throw status.notFound(call.served.info, call.info.name);
      return produce(before);
    },
    retries,
    createsMissing: false,
  });
  const object = reply.kind === 'entry' ? call.served.view(reply.entry) : 'object' in reply ? reply.object : undefined;
  return object === undefined ? reply : { kind: 'object', code: 200, object: view.read(object as KubeObject) };
}

const PLAIN_VIEW: ScaleView = {
  read: (object) => scaleOf(object as Scalable),
  write: (before, scale) => withScale(before as Scalable, scale),
};

function withScale(before: Scalable, scale: Scale): KubeObject {
  const { resourceVersion, uid } = scale.metadata;
  const metadata = { ...before.metadata, resourceVersion, ...(uid === undefined ? {} : { uid }) };
  const spec = { ...before.spec, replicas: scale.spec?.replicas ?? 0 };
  return { ...before, metadata, spec } as KubeObject;
}

function scaleOf(object: Scalable): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const selector = selectorText(object);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: object.spec?.replicas ?? 0 },
    status: { replicas: object.status?.replicas ?? 0, ...(selector === '' ? {} : { selector }) },
  } as Scale;
}

function selectorText({ kind, spec }: Scalable): string {
  if (spec?.selector === undefined) return '';
  return formatSelector(
    kind === 'ReplicationController'
      ? selectorFromSet(spec.selector as { readonly [label: string]: string })
      : selectorFromObject(spec.selector as LabelSelector),
  );
}
