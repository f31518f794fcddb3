import { type Scope, messageOf } from '@binnacle/base';
import { type Channel, describe, failureOf, openChannel, serveSocket } from '@binnacle/grpc';
import { PluginError } from '../plugin/plugin-error.ts';
import type { PluginWire } from '../ports.ts';

/** Nothing that a plugin of a node says is longer. */
const ANSWER_BYTES_MAX = 16 << 20;

/** gRPC to the sockets of this machine. A connection to each lasts until it is forgotten, or the scope closes. */
export function createPluginWire(scope: Scope): PluginWire {
  const channels = new Map<string, Promise<Channel>>();
  const channelTo = (socket: string, protocol: Parameters<typeof describe>[0]): Promise<Channel> => {
    const key = `${protocol} ${socket}`;
    const open =
      channels.get(key) ??
      openChannel(`unix://${socket}`, async () => [await describe(protocol)], { answerBytesMax: ANSWER_BYTES_MAX });
    channels.set(key, open);
    return open;
  };
  const close = (key: string): void => {
    const open = channels.get(key);
    channels.delete(key);
    open?.then(
      (channel) => channel.close(),
      // Loading gRPC failed: who called was told.
      () => undefined,
    );
  };
  scope.defer(() => {
    for (const key of channels.keys()) close(key);
  });
  return {
    async call(socket, { protocol, service, method, timeoutMs }, request) {
      const channel = await channelTo(socket, protocol);
      try {
        return await channel.unary({ service, method }, request, timeoutMs);
      } catch (error) {
        throw asPluginError(error);
      }
    },
    stream(socket, { protocol, service, method }, sink) {
      let cancelled = false;
      let stream: { cancel(): void } | undefined;
      channelTo(socket, protocol).then(
        (channel) => {
          if (cancelled) return;
          stream = channel.stream(
            { service, method },
            {},
            {
              message: (message) => sink.message(message),
              end: (failure) => sink.end(new PluginError(failure.status, failure.details, failure.error)),
            },
          );
        },
        (error: unknown) => sink.end(new PluginError(2, messageOf(error), error)),
      );
      return {
        cancel: () => {
          cancelled = true;
          stream?.cancel();
        },
      };
    },
    async serve(socket, protocol, services) {
      const served = Object.entries(services).map(([service, methods]) => [
        service,
        Object.fromEntries(Object.entries(methods).map(([method, unary]) => [method, { unary }])),
      ]);
      const options = { path: socket, descriptors: [await describe(protocol)], services: Object.fromEntries(served) };
      const server = await serveSocket(options);
      return () => server.close();
    },
    forget(socket) {
      for (const key of channels.keys()) if (key.endsWith(` ${socket}`)) close(key);
    },
  };
}

function asPluginError(error: unknown): PluginError {
  const { status, details } = failureOf(error);
  return new PluginError(status, details, error);
}
