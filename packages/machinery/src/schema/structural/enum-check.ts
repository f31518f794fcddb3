import { notSupported } from '../../validation/field.ts';
import { canonicalText } from './canonical.ts';
import type { LeafCheck } from './findings.ts';
import type { SchemaProps } from './props.ts';

/** That a value is one of those that the schema lists; undefined: it lists none. */
export function enumCheck(props: SchemaProps): LeafCheck | undefined {
  const allowed = props.enum;
  if (!Array.isArray(allowed) || allowed.length === 0) return undefined;
  const texts = new Set(allowed.map(canonicalText));
  const shown = allowed.map((value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value)));
  return (value, path, found) => {
    if (texts.has(found.work.textOf(value ?? null))) found.passed++;
    else found.add(notSupported(path, value ?? null, shown));
  };
}
