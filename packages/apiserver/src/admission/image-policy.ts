import type { Pod } from '@binnacle/api/core/v1';
import { assert, RecentTable } from '@binnacle/base';
import type { HttpCaller } from '@binnacle/base';
import { answeredStatus } from '../access/answered-status.ts';
import { ACCESS_RETRIES } from '../access/webhook-tokens.ts';
import { askEndpoint, EndpointError } from '../outbound/json-endpoint.ts';
import type { AskingWorld } from '../outbound/json-endpoint.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../ports/admission.ts';
import type { JsonEndpoint } from '../ports/json-endpoint.ts';
import { readImagePolicy } from './image-policy-file.ts';
import type { ImagePolicySettings } from './image-policy-file.ts';
import { refuse } from './refusal.ts';

const ASKED = { kind: 'ImageReview', apiVersion: 'imagepolicy.k8s.io/v1alpha1' };
const EPHEMERAL = 'ephemeralcontainers';
/** Annotations of pods that whoever is asked may see. */
const SHOWN = '.image-policy.k8s.io/';
const AUDIT_PREFIX = 'imagepolicywebhook.image-policy.k8s.io/';

const DENIED = 'image policy webhook backend denied one or more images';

const ANSWERS_MAX = 1024;
/** Longer questions are asked each time. */
const QUESTION_LENGTH_MAX = 10_000;
/** What is told of a no; the rest is more than anybody reads. */
const REASON_LENGTH_MAX = 1000;
const AUDITED_MAX = 32;

export interface ImagePolicyWorld extends Omit<AskingWorld, 'http'> {
  /** Absent: nobody can be asked. */
  readonly http?: HttpCaller;
}

/** As the configuration file says; `endpoint`: whom the kubeconfig names that is named there. Throws AdmissionConfigurationError. */
export function configuredImagePolicy(
  world: ImagePolicyWorld,
  document: unknown,
  endpoint: JsonEndpoint | undefined,
): AdmissionPlugin {
  const settings = readImagePolicy(document);
  assert(endpoint !== undefined, 'whoever gives the document has read the kubeconfig that it names');
  return createImagePolicy(world, settings, endpoint);
}

/** Somebody's answer. */
interface Verdict {
  readonly allowed: boolean;
  readonly reason: string;
  readonly audited: readonly (readonly [key: string, value: string])[];
}

/**
 * Asks somebody whether the images of a pod may be used (an ImageReview, v1alpha1), before it is stored and before it
 * gets ephemeral containers. Where nobody answers it is refused, or let in and the audit record says so; upstream
 * writes that into an annotation of the pod too.
 */
export function createImagePolicy(
  world: ImagePolicyWorld,
  settings: ImagePolicySettings,
  endpoint: JsonEndpoint,
): AdmissionPlugin {
  const { clock } = world;
  const kept = new RecentTable<{ readonly verdict: Verdict; readonly until: number }>(ANSWERS_MAX);
  return {
    name: 'ImagePolicyWebhook',
    handles: (operation, info, subresource) =>
      (operation === 'CREATE' || operation === 'UPDATE') &&
      (subresource === '' || subresource === EPHEMERAL) &&
      info.group === '' &&
      info.resource === 'pods',
    async validate(attributes) {
      const verdict = await verdictOn(attributes);
      for (const [key, value] of verdict?.audited ?? []) attributes.annotate(`${AUDIT_PREFIX}${key}`, value);
      if (verdict === undefined || verdict.allowed) return;
      const { reason } = verdict;
      const why = reason === '' ? 'one or more images rejected by webhook backend' : `${DENIED}: ${reason}`;
      throw refuse(attributes, why);
    },
  };

  /** Undefined: nobody answered, which does not matter. */
  async function verdictOn(attributes: AdmissionAttributes): Promise<Verdict | undefined> {
    const spec = specOf(attributes);
    const key = JSON.stringify(spec);
    const known = kept.get(key);
    if (known !== undefined && known.until > clock.monotonic()) return known.verdict;
    try {
      const verdict = await ask(spec, attributes);
      const ttl = verdict.allowed ? settings.allowTtlMs : settings.denyTtlMs;
      if (ttl > 0 && key.length <= QUESTION_LENGTH_MAX) kept.set(key, { verdict, until: clock.monotonic() + ttl });
      return verdict;
    } catch (error) {
      if (!(error instanceof EndpointError)) throw error;
      if (!settings.defaultAllow) throw refuse(attributes, error.message);
      attributes.annotate(`${AUDIT_PREFIX}failed-open`, 'true');
      return undefined;
    }
  }

  async function ask(spec: object, attributes: AdmissionAttributes): Promise<Verdict> {
    const { signal } = attributes;
    const { http } = world;
    if (http === undefined) throw new EndpointError('this server calls nobody', { passing: false });
    const body = { ...ASKED, metadata: {}, spec, status: { allowed: false } };
    const retries = { ...ACCESS_RETRIES, firstWaitMs: settings.retryBackoffMs };
    const began = clock.monotonic();
    const asking = askEndpoint({ ...world, http }, endpoint, {
      body,
      retries,
      annotate: (key, value) => attributes.annotate(key, value),
      ...(signal === undefined ? {} : { signal }),
    });
    const answer = await asking.finally(() => attributes.waited((clock.monotonic() - began) / 1000));
    const status = answeredStatus(answer, ASKED);
    if (status === undefined) throw new EndpointError(`the answer is no ${ASKED.kind}`, { passing: false });
    return verdictOf(status);
  }
}

function specOf({ object, namespace, subresource }: AdmissionAttributes): object {
  const { metadata, spec } = object as Pod;
  const containers =
    subresource === EPHEMERAL ? (spec.ephemeralContainers ?? []) : [...spec.containers, ...(spec.initContainers ?? [])];
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) => key.includes(SHOWN));
  return {
    containers: containers.map(({ image }) => (image === undefined || image === '' ? {} : { image })),
    ...(annotations.length === 0 ? {} : { annotations: Object.fromEntries(annotations) }),
    namespace,
  };
}

/** What is not of the form says nothing. */
function verdictOf({ allowed, reason, auditAnnotations }: { readonly [field: string]: unknown }): Verdict {
  const audited =
    typeof auditAnnotations === 'object' && auditAnnotations !== null ? Object.entries(auditAnnotations) : [];
  return {
    allowed: allowed === true,
    reason: typeof reason === 'string' ? reason.slice(0, REASON_LENGTH_MAX) : '',
    audited: audited.slice(0, AUDITED_MAX).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])),
  };
}
