/** Which policies a request meets: each with its binding, what it is evaluated with, and the request as it wants to see it. */
import type { ResourceInfo } from '@binnacle/api';
import type { ParamKind, ParamRef } from '@binnacle/api/admissionregistration/v1';
import type { KubeObject } from '@binnacle/machinery';
import type { AdmissionAttributes } from '../../ports/admission.ts';
import type { SeenRequest } from '../expressions/activation.ts';
import { collectParams, ParamsError } from './params.ts';
import type { ParamsWorld } from './params.ts';
import { matchCriteria } from './policy-index.ts';
import type { IndexedPolicy } from './policy-index.ts';

/** What policies of both sorts say. */
interface PolicyLike extends KubeObject {
  readonly spec: { readonly paramKind?: ParamKind; readonly failurePolicy?: string };
}

interface BindingLike extends KubeObject {
  readonly spec: { readonly paramRef?: ParamRef };
}

/** A policy that is to be evaluated. */
export interface PolicyTurn<P, B> {
  readonly name: string;
  readonly policy: P;
  /** Undefined: the policy cannot be put to work by any. */
  readonly bound: { readonly name: string; readonly binding: B } | undefined;
  /** The version in which the policy wants to see the request. */
  readonly info: ResourceInfo;
  readonly params: readonly (KubeObject | undefined)[];
  /** Why there are none; told where the policy fails closed. */
  readonly error?: string;
}

/** The turns of a request, in the order of the names of policies and bindings. */
export async function turnsOf<P extends PolicyLike, B extends BindingLike>(
  policies: readonly IndexedPolicy<P, B>[],
  attributes: AdmissionAttributes,
  world: ParamsWorld,
): Promise<readonly PolicyTurn<P, B>[]> {
  const turns: PolicyTurn<P, B>[] = [];
  for (const { name, policy, criteria, bindings } of policies) {
    const info = matchCriteria(criteria, attributes);
    if (info === undefined) continue;
    for (const bound of bindings) {
      if (bound.criteria !== undefined && matchCriteria(bound.criteria, attributes) === undefined) continue;
      const turn = { name, policy, bound, info };
      try {
        const asked = {
          kind: policy.spec.paramKind,
          ref: bound.binding.spec.paramRef,
          namespace: namespaceOf(attributes),
        };
        turns.push({ ...turn, params: await collectParams(world, asked) });
      } catch (error) {
        if (!(error instanceof ParamsError)) throw error;
        const what = error.isOfPolicy ? 'policy' : 'binding';
        turns.push({
          ...turn,
          params: [],
          error: `failed to configure ${what}: ${error.message}`,
          ...(error.isOfPolicy ? { bound: undefined } : {}),
        });
        if (error.isOfPolicy) break;
      }
    }
  }
  return turns;
}

/** A Namespace is in itself, as requests have it, and in none for parameters. */
function namespaceOf({ info, namespace }: AdmissionAttributes): string {
  return info.namespaced ? namespace : '';
}

/** The request in the version of a turn. */
export async function seenIn(attributes: AdmissionAttributes, info: ResourceInfo): Promise<SeenRequest> {
  const { object, before } = attributes;
  return {
    attributes,
    info,
    object: object === undefined ? undefined : await attributes.inVersion(object, info),
    before: before === undefined ? undefined : await attributes.inVersion(before, info),
  };
}
