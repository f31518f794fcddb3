import { schemas } from '@binnacle/api';
import type { Scale } from '@binnacle/api/autoscaling/v1';
import { formatSelector, selectorFromObject, selectorFromSet, status } from '@binnacle/machinery';
import type { KubeObject, LabelSelector } from '@binnacle/machinery';
import type { Core } from '../core.ts';
import { readObject } from './body.ts';
import type { Call } from '../catalogue/call.ts';
import { entryOf } from './get.ts';
import { applyPatch, readPatch } from './patch.ts';
import type { Reply } from '../catalogue/reply.ts';
import { changeObject } from './update-loop.ts';
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

/** GET of `…/scale`. */
export function getScale(_core: Core, call: Call): Reply {
  return { kind: 'object', code: 200, object: scaleOf(call.served.view(entryOf(call)) as Scalable) };
}

/** PUT on `…/scale`. */
export async function updateScale(core: Core, call: Call): Promise<Reply> {
  const scale = (await readObject(call, SCALE)) as Scale;
  if ((scale.metadata.name ?? call.info.name) !== call.info.name) {
    throw status.badRequest(
      `the name of the object (${scale.metadata.name ?? ''}) does not match the name on the URL (${call.info.name})`,
    );
  }
  return scaled(core, call, { retries: false, produce: (before) => withScale(before, scale) });
}

/** PATCH on `…/scale`. */
export async function patchScale(core: Core, call: Call): Promise<Reply> {
  const patching = await readPatch(call);
  return scaled(core, call, {
    retries: true,
    produce(before) {
      const wanted = schemas.decode<Scale>(SCALE.schema, applyPatch(patching, scaleOf(before), SCALE.schema)).value;
      return withScale(before, wanted);
    },
  });
}

interface Scaling {
  readonly retries: boolean;
  readonly produce: (before: Scalable) => KubeObject;
}

async function scaled(core: Core, call: Call, { retries, produce }: Scaling): Promise<Reply> {
  const reply = await changeObject(core, call, {
    ...specChange(call),
    produce(before) {
      if (before === undefined) throw status.notFound(call.served.info, call.info.name);
      return produce(before as Scalable);
    },
    retries,
    createsMissing: false,
  });
  const object = reply.kind === 'entry' ? call.served.view(reply.entry) : 'object' in reply ? reply.object : undefined;
  return object === undefined ? reply : { kind: 'object', code: 200, object: scaleOf(object as Scalable) };
}

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
