/** Admission webhooks of a behaviour: a real HTTPS server behind a Service, and configurations that ask it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { startTlsServer } from '@binnacle/testkit';
import { requests } from './api-operations.ts';
import type { Thing } from './api-operations.ts';
import type { World } from './world.ts';

/** What the API server asks of a webhook. */
export interface Question {
  readonly uid: string;
  readonly operation: string;
  readonly object: Thing | null;
  readonly oldObject: Thing | null;
  readonly name?: string;
  readonly subResource?: string;
}
/** What a webhook says: denied with a reason, or patched. `later` holds the answer until the caller gives up. */
export interface Opinion {
  readonly denied?: string;
  readonly patch?: readonly object[];
  readonly later?: true;
}
export type Webhook = (question: Question) => Opinion | Promise<Opinion>;

export const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1';
export type ConfigurationKind = 'Validating' | 'Mutating';

/** What a configuration holds. */
export interface Configuration {
  readonly webhooks: readonly object[];
  readonly labels?: object;
}

/** Webhooks by path, and what it takes to be asked. */
export interface WebhookService {
  /** The client configuration of a path; without a bundle nobody can believe the server. */
  clientConfig(path: string, options?: { readonly trusted?: boolean }): object;
  /** Makes a configuration, which is taken away with the server. */
  configure(kind: ConfigurationKind, name: string, made: Configuration): Promise<Thing>;
}

const SERVICE = 'webhook';

/** The requests on configurations of a kind. */
export function configurations(world: World, kind: ConfigurationKind) {
  return requests(world, `${CONFIGURATIONS}/${kind.toLowerCase()}webhookconfigurations`);
}

async function answer(webhook: Webhook | undefined, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const review = JSON.parse(await text(request)) as { request: Question };
  const opinion = (await webhook?.(review.request)) ?? {};
  if (opinion.later === true) return;
  const { denied, patch } = opinion;
  const patched =
    patch === undefined ? {} : { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') };
  const status = denied === undefined ? {} : { status: { message: denied } };
  const said = { uid: review.request.uid, allowed: denied === undefined, ...status, ...patched };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: said }));
}

/**
 * Lends a server of webhooks to `body`. Its Service has an external name, as an address of loopback may be no endpoint;
 * the server is known by the Service's own name all the same.
 */
export async function withWebhooks(
  world: World,
  webhooks: { readonly [path: string]: Webhook },
  body: (service: WebhookService) => Promise<void>,
): Promise<void> {
  const { namespace } = world;
  const server = await startTlsServer(`${SERVICE}.${namespace}.svc`, (request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    answer(webhooks[path], request, response).catch(() => response.destroy());
  });
  const made: [ConfigurationKind, string][] = [];
  try {
    const services = requests(world, `/api/v1/namespaces/${namespace}/services`);
    const spec = { type: 'ExternalName', externalName: 'localhost' };
    await services.create({ apiVersion: 'v1', kind: 'Service', metadata: { name: SERVICE }, spec });
    await body({
      clientConfig: (path, { trusted = true } = {}) => ({
        service: { namespace, name: SERVICE, path, port: server.port },
        ...(trusted ? { caBundle: server.caBundle } : {}),
      }),
      configure: (kind, name, { webhooks: hooks, labels }) => {
        made.push([kind, name]);
        return configurations(world, kind).create({
          apiVersion: 'admissionregistration.k8s.io/v1',
          kind: `${kind}WebhookConfiguration`,
          metadata: { name, labels: { ...labels } },
          webhooks: hooks,
        });
      },
    });
  } finally {
    for (const [kind, name] of made) {
      const path = `${CONFIGURATIONS}/${kind.toLowerCase()}webhookconfigurations/${name}`;
      await world.http(path, { method: 'DELETE' }); // It may be the test that took it away.
    }
    await server.stop();
  }
}

/** What a webhook covers: resources of a group and version, and the operations on them. */
export interface Covered {
  readonly operations: readonly string[];
  readonly group?: string;
  readonly versions?: readonly string[];
  readonly resources: readonly string[];
}

/** A webhook that is asked of objects in the behaviour's namespace only, unless `more` says of which. */
export function webhookOf(world: World, clientConfig: object, covered: Covered & { readonly more?: object }) {
  const { operations, group = '', versions = ['v1'], resources, more } = covered;
  return {
    name: 'one.ledger.example.com',
    clientConfig,
    rules: [{ operations, apiGroups: [group], apiVersions: versions, resources }],
    sideEffects: 'None',
    // The longest there is: our server answers in the turns of a process that runs many tests.
    timeoutSeconds: 30,
    admissionReviewVersions: ['v1', 'v1beta1'],
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': world.namespace } },
    ...more,
  };
}
