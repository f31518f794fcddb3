import { SchedulerConfigError } from '../errors.ts';

/** Refuses arguments for a plugin that takes none; returns its name. */
export function noArguments(plugin: string, args: unknown): string {
  if (args !== undefined) throw new SchedulerConfigError(`plugin ${plugin} takes no arguments`);
  return plugin;
}

/** The arguments of a plugin that takes some, as the configuration reader made and checked them. */
export function argumentsOf<T extends object>(args: unknown, defaults: T): T {
  if (args === undefined) return defaults;
  if (typeof args !== 'object' || args === null) throw new SchedulerConfigError('plugin arguments must be an object');
  return { ...defaults, ...args };
}
