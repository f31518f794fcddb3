import { CERTIFICATE_SIGNING_REQUESTS } from '@binnacle/api';
import type { CertificateSigningRequest } from '@binnacle/api/certificates/v1';
import type { KubeObject } from '@binnacle/machinery';
import type { Client } from '@binnacle/client';
import { runController, triggerOf } from '@binnacle/reconcile';
import type { Controller, SyncContext } from '@binnacle/reconcile';
import type { ControllerKit } from '../controller-kit.ts';
import { requestIn } from '../signing-requests.ts';
import { isOpen, recognize } from './decide.ts';
import type { Recognition } from './decide.ts';

const REVIEWS = { group: 'authorization.k8s.io', version: 'v1', resource: 'subjectaccessreviews' };

/** Who is not allowed may be allowed later, and rights cannot be watched by us: the first and the longest pause, ms. */
const AGAIN_MS = 10_000;
const AGAIN_MAX_MS = 600_000;

interface Review extends KubeObject {
  readonly status?: { readonly allowed?: boolean };
}

/** Starts the controller that approves kubelets' client certificates for who is allowed to have them. */
export function runCertificateApprover(kit: ControllerKit): Controller {
  const requests = kit.informers.need(CERTIFICATE_SIGNING_REQUESTS);
  const pauses = new Map<string, number>();
  const approve = async (request: CertificateSigningRequest, message: string, context: SyncContext): Promise<void> => {
    const condition = { type: 'Approved', status: 'True' as const, reason: 'AutoApproved', message };
    const conditions = [...(request.status?.conditions ?? []), condition];
    await kit.client
      .resource(CERTIFICATE_SIGNING_REQUESTS)
      .subresource(
        'update',
        request.metadata.name ?? '',
        'approval',
        { ...request, status: { ...request.status, conditions } },
        context,
      );
  };
  const controller = runController({
    name: 'certificatesigningrequest-approving-controller',
    world: kit.world,
    scope: kit.scope,
    caches: [requests],
    sync: async (key, context) => {
      const request = requests.get(key);
      if (request === undefined || !isOpen(request)) {
        pauses.delete(key);
        return;
      }
      const recognitions = recognize(request, requestIn(request));
      for (const recognition of recognitions) {
        if (await isAllowed(kit.client, { request, recognition }, context))
          return approve(request, recognition.message, context);
      }
      if (recognitions.length === 0) return;
      const pause = pauses.get(key) ?? AGAIN_MS;
      pauses.set(key, Math.min(pause * 2, AGAIN_MAX_MS));
      context.requeueAfter(pause);
    },
  });
  const follow = (event: string, request: CertificateSigningRequest): void => {
    if (isOpen(request)) controller.enqueue(request.metadata.name ?? '', triggerOf(event, request));
  };
  kit.scope.defer(
    requests.subscribe({
      add: (request) => follow('ADDED', request),
      update: (_before, request) => follow('MODIFIED', request),
      remove: (request) => {
        pauses.delete(request.metadata.name ?? '');
      },
    }),
  );
  return controller;
}

/** Whether who made a request may have such certificates. */
async function isAllowed(
  client: Client,
  of: { readonly request: CertificateSigningRequest; readonly recognition: Recognition },
  context: SyncContext,
): Promise<boolean> {
  const { spec } = of.request;
  const { subresource } = of.recognition;
  const { username: user, uid, groups, extra } = spec;
  const group = 'certificates.k8s.io';
  const resource = 'certificatesigningrequests';
  const review = {
    metadata: {},
    spec: {
      resourceAttributes: { group, resource, subresource, verb: 'create', version: '*' },
      ...(user === undefined ? {} : { user }),
      ...(uid === undefined ? {} : { uid }),
      ...(groups === undefined ? {} : { groups }),
      ...(extra === undefined ? {} : { extra }),
    },
  };
  const answer: Review = await client
    .dynamic(REVIEWS)
    .create({ apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', ...review }, undefined, context);
  return answer.status?.allowed === true;
}
