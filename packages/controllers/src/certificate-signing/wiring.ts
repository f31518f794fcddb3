import { CERTIFICATE_SIGNING_REQUESTS } from '@binnacle/api';
import type { CertificateSigningRequest } from '@binnacle/api/certificates/v1';
import { formatTime } from '@binnacle/base';
import { runController, triggerOf } from '@binnacle/reconcile';
import type { Controller, SyncContext } from '@binnacle/reconcile';
import type { ControllerKit, StartOptions } from '../controller-kit.ts';
import { requestIn } from '../signing-requests.ts';
import { grantFor, isDue, signingFault } from './decide.ts';

/** `--cluster-signing-duration`, ms. */
const YEAR_MS = 365 * 24 * 3_600_000;

/** Starts the controller that signs what was approved for Kubernetes' own signers; without an authority nobody does. */
export function runCertificateSigner(kit: ControllerKit, options: StartOptions): readonly Controller[] {
  const { signRequest, signingDurationMs = YEAR_MS } = options;
  if (signRequest === undefined) return [];
  const requests = kit.informers.need(CERTIFICATE_SIGNING_REQUESTS);
  const { clock } = kit.world;
  const write = async (after: CertificateSigningRequest, context: SyncContext): Promise<void> => {
    await kit.client.resource(CERTIFICATE_SIGNING_REQUESTS).updateStatus(after, undefined, context);
  };
  const controller = runController({
    name: 'certificatesigningrequest-signing-controller',
    world: kit.world,
    scope: kit.scope,
    caches: [requests],
    sync: async (key, context) => {
      const request = requests.get(key);
      if (request === undefined || !isDue(request)) return;
      const contents = requestIn(request);
      const fault = signingFault(request, contents);
      if (fault !== undefined) return write(failed(request, fault, clock.now()), context);
      const grant = grantFor(request, { nowMs: clock.now(), longestMs: signingDurationMs });
      const certificate = btoa(await signRequest(contents, grant));
      return write({ ...request, status: { ...request.status, certificate } }, context);
    },
  });
  const follow = (event: string, request: CertificateSigningRequest): void => {
    if (isDue(request)) controller.enqueue(request.metadata.name ?? '', triggerOf(event, request));
  };
  kit.scope.defer(
    requests.subscribe({
      add: (request) => follow('ADDED', request),
      update: (_before, request) => follow('MODIFIED', request),
    }),
  );
  return [controller];
}

function failed(request: CertificateSigningRequest, message: string, nowMs: number): CertificateSigningRequest {
  const condition = {
    type: 'Failed',
    status: 'True' as const,
    reason: 'SignerValidationFailure',
    message,
    lastUpdateTime: formatTime(nowMs),
  };
  return { ...request, status: { ...request.status, conditions: [...(request.status?.conditions ?? []), condition] } };
}
