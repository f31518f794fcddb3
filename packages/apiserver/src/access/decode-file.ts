import { DecodeError } from '@binnacle/machinery';
import type { SchemaRegistry } from '@binnacle/machinery';
import { AuthenticationConfigError } from './errors.ts';

/** A configuration file, read strictly: unknown and repeated fields are refused. Throws AuthenticationConfigError. */
export function decodeFile<T>(registry: SchemaRegistry, kind: string, document: unknown): T {
  try {
    const { value, problems } = registry.decode<T>(kind, document, 'Strict');
    if (problems.length === 0) return value;
    throw new AuthenticationConfigError(`strict decoding error: ${problems.join(', ')}`);
  } catch (error) {
    if (error instanceof DecodeError) throw new AuthenticationConfigError(error.message);
    throw error;
  }
}
