import { PluginError } from '../plugin/plugin-error.ts';
import type { PluginWire } from '../ports.ts';

/** A node on which no plugin answers. */
export const lonelyWire: PluginWire = {
  call: () => Promise.reject(new PluginError(14, 'nobody there')),
  stream: () => ({ cancel: () => undefined }),
  forget: () => undefined,
  serve: async () => () => Promise.resolve(),
};
