import type { Clock, HttpCaller, HttpReply } from '@binnacle/base';
import { AbortedError, HttpConnectError, HttpTimeoutError } from '@binnacle/base';
import type { WebhookClientConfig } from '@binnacle/api/admissionregistration/v1';
import { DecodeError, parseDocument } from '@binnacle/machinery';
import { findServiceEndpoint } from '../../outbound/service-endpoint.ts';
import type { EndpointWorld } from '../../outbound/service-endpoint.ts';
import { WebhookAnswerError, WebhookCallError } from './webhook-errors.ts';
import type { AnyWebhook } from './webhook-match.ts';

/** More than the largest object with its patch; the rest of a longer answer is not read. */
const ANSWER_BYTES_MAX = 10 << 20;
const DEFAULT_TIMEOUT_SECONDS = 10;

export interface CallerWorld extends EndpointWorld {
  readonly clock: Pick<Clock, 'after'>;
  /** Absent: nobody can be asked. */
  readonly http: HttpCaller | undefined;
}

const utf8 = new TextEncoder();

/** Asks a webhook and reads its answer. Throws WebhookCallError. */
export async function callWebhook(
  world: CallerWorld,
  hook: AnyWebhook,
  { review, signal }: { readonly review: object; readonly signal: AbortSignal | undefined },
): Promise<unknown> {
  const { http } = world;
  if (http === undefined) throw new WebhookCallError(hook.name, 'failed to call webhook: this server calls nobody');
  const seconds = hook.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS;
  const call = { method: 'POST', url: urlOf(hook, seconds) };
  const place = hook.clientConfig.service === undefined ? undefined : endpointOf(world, hook.clientConfig.service);
  if (place !== undefined && 'missing' in place) {
    throw new WebhookCallError(hook.name, `failed to call webhook: Post "${call.url}": ${place.missing}`);
  }
  const deadline = withDeadline(world, seconds, signal);
  try {
    const reply = await http.request({
      ...call,
      headers: { ...hostOf(hook.clientConfig), 'content-type': 'application/json', accept: 'application/json, */*' },
      body: utf8.encode(JSON.stringify(review)),
      trust: trustOf(hook.clientConfig),
      ...(place === undefined ? {} : { dial: place }),
      signal: deadline.signal,
    });
    return await readAnswer(reply);
  } catch (error) {
    throw new WebhookCallError(hook.name, `failed to call webhook: ${describe(error, { call, deadline })}`, error);
  } finally {
    deadline.end();
  }
}

interface Deadline {
  readonly signal: AbortSignal;
  readonly passed: boolean;
  end(): void;
}

function withDeadline(world: CallerWorld, seconds: number, signal: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let passed = false;
  const give = (): void => controller.abort();
  const timer = world.clock.after(seconds * 1_000, () => {
    passed = true;
    give();
  });
  if (signal?.aborted === true) give();
  signal?.addEventListener('abort', give, { once: true });
  return {
    signal: controller.signal,
    get passed() {
      return passed;
    },
    end() {
      timer.cancel();
      signal?.removeEventListener('abort', give);
    },
  };
}

function describe(
  error: unknown,
  { call, deadline }: { readonly call: { readonly method: string; readonly url: string }; readonly deadline: Deadline },
): string {
  if (deadline.passed) return new HttpTimeoutError(call).message;
  if (error instanceof AbortedError) return `Post "${call.url}": context canceled`;
  if (error instanceof HttpConnectError || error instanceof WebhookAnswerError) return error.message;
  if (error instanceof DecodeError) return `couldn't get version/kind; json parse error: ${error.message}`;
  throw error;
}

/** As the configuration names it, with what the webhook is given to answer in. */
function urlOf({ clientConfig: { service, url = '' } }: AnyWebhook, seconds: number): string {
  if (service === undefined) {
    const asked = new URL(url);
    asked.searchParams.set('timeout', `${seconds}s`);
    return asked.href;
  }
  const { name, namespace, path = '', port = 443 } = service;
  const rest = path === '' || path.startsWith('/') ? path || '/' : `/${path}`;
  return `https://${name}.${namespace}.svc:${port}${rest}?timeout=${seconds}s`;
}

/** With the port also where it is HTTPS' own, as Go's clients send it. */
function hostOf({ service }: WebhookClientConfig): { readonly host?: string } {
  return service === undefined ? {} : { host: `${service.name}.${service.namespace}.svc:${service.port ?? 443}` };
}

function endpointOf(
  world: CallerWorld,
  service: NonNullable<WebhookClientConfig['service']>,
): ReturnType<typeof findServiceEndpoint> {
  return findServiceEndpoint(world, { port: 443, ...service });
}

function trustOf({ caBundle, service }: WebhookClientConfig): { ca?: string; serverName?: string } {
  return {
    ...(caBundle === undefined || caBundle === '' ? {} : { ca: atob(caBundle) }),
    ...(service === undefined ? {} : { serverName: `${service.name}.${service.namespace}.svc` }),
  };
}

async function readAnswer({ status, body }: HttpReply): Promise<unknown> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const part of body) {
    size += part.length;
    if (size > ANSWER_BYTES_MAX) throw new WebhookAnswerError(`the answer is longer than ${ANSWER_BYTES_MAX} bytes`);
    text += decoder.decode(part, { stream: true });
  }
  text += decoder.decode();
  if (status >= 200 && status < 300) return parseDocument(text);
  throw new WebhookAnswerError(describeStatus(status, text));
}

/** In the words of Go's client. */
function describeStatus(status: number, text: string): string {
  switch (status) {
    case 401:
      return 'the server has asked for the client to provide credentials';
    case 403:
      return 'forbidden';
    case 404:
      return 'the server could not find the requested resource';
    default: {
      const said = text.trim().slice(0, 1_024);
      if (status >= 500)
        return `an error on the server (${JSON.stringify(said || 'unknown')}) has prevented the request from succeeding`;
      return `the server responded with the status code ${status} but did not return more information`;
    }
  }
}
