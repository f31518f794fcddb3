import { names } from '@binnacle/machinery';

const STANDARD: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/** A finalizer is one of the three old names or carries its owner's domain. */
export function finalizerErrors(name: string): string[] {
  return [...names.qualifiedNameErrors(name), ...standardFinalizerErrors(name)];
}

/** Only that it has a domain or is one of the three; its shape is checked with the metadata. */
export function standardFinalizerErrors(name: string): string[] {
  if (name.includes('/') || STANDARD.has(name)) return [];
  return ['name is neither a standard finalizer name nor is it fully qualified'];
}
