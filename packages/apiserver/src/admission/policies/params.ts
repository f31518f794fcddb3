/** The parameters of a binding: objects of the kind that its policy names. */
import type { ParamKind, ParamRef } from '@binnacle/api/admissionregistration/v1';
import { formatSelector, parseGroupVersion, selectorFromObject, status } from '@binnacle/machinery';
import type { KubeObject, Wire } from '@binnacle/machinery';
import type { FindKind } from '../../ports/world.ts';

/** Where parameters are looked up. */
export interface ParamsWorld {
  readonly loopback: Pick<Wire, 'call'>;
  readonly findKind: FindKind;
}

/** A policy or a binding that does not fit what is there: its failure policy says what comes of it. */
export class ParamsError {
  readonly message: string;
  /** The policy itself is wrong, not the binding. */
  readonly isOfPolicy: boolean;

  constructor(message: string, isOfPolicy = false) {
    this.message = message;
    this.isOfPolicy = isOfPolicy;
  }
}

interface Asked {
  readonly kind: ParamKind | undefined;
  readonly ref: ParamRef | undefined;
  /** Of the request. */
  readonly namespace: string;
}

/**
 * What the policy is evaluated with, once for each: undefined where the policy or the binding wants no parameters,
 * nothing where there are none and that is allowed. Throws ParamsError.
 */
export async function collectParams(
  world: ParamsWorld,
  { kind, ref, namespace }: Asked,
): Promise<readonly (KubeObject | undefined)[]> {
  if (kind === undefined) return [undefined];
  const { apiVersion = '', kind: name = '' } = kind;
  const info = world.findKind({ ...parseGroupVersion(apiVersion), kind: name });
  if (info === undefined) {
    throw new ParamsError(`failed to find resource referenced by paramKind: '${apiVersion}, Kind=${name}'`, true);
  }
  if (ref === undefined) return [undefined];
  const own = ref.namespace ?? '';
  if (!info.namespaced && own !== '') {
    throw new ParamsError('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  }
  const where = own === '' ? namespace : own;
  if (info.namespaced && where === '') {
    throw new ParamsError('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources');
  }
  const resource = { group: info.group, version: info.version, resource: info.resource };
  const found = await find(world, ref, info.namespaced ? { resource, namespace: where } : { resource });
  if (found.length === 0 && ref.parameterNotFoundAction === 'Deny') {
    throw new ParamsError('no params found for policy binding with `Deny` parameterNotFoundAction');
  }
  return found.map((object) => ({ ...object, apiVersion, kind: name }));
}

type Place = Pick<Parameters<Wire['call']>[0], 'resource' | 'namespace'>;

async function find({ loopback }: ParamsWorld, ref: ParamRef, place: Place): Promise<readonly KubeObject[]> {
  if (ref.name === undefined || ref.name === '') {
    const labelSelector = formatSelector(selectorFromObject(ref.selector ?? {}));
    const list = await loopback.call({ verb: 'list', ...place, query: { labelSelector } });
    return (list as { readonly items?: readonly KubeObject[] }).items ?? [];
  }
  try {
    return [(await loopback.call({ verb: 'get', ...place, name: ref.name })) as KubeObject];
  } catch (error) {
    if (status.isNotFound(error)) return [];
    throw error;
  }
}
