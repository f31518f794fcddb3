import type { FieldPath } from '../../../validation/path.ts';
import type { Report } from '../../../validation/report.ts';

// Paths of files inside volumes and containers, as text.

export function validateNoBacksteps(target: string, path: FieldPath, report: Report): void {
  if (target.includes('..') && target.split('/').includes('..')) report.invalid(path, target, "must not contain '..'");
}

/** Relative, and never upwards. */
export function validateDescendingPath(target: string, path: FieldPath, report: Report): void {
  if (target.startsWith('/')) report.invalid(path, target, 'must be a relative path');
  validateNoBacksteps(target, path, report);
}

/** As above, and none of the names that atomic updates of a volume use for themselves. */
export function validateNonReservedPath(target: string, path: FieldPath, report: Report): void {
  validateDescendingPath(target, path, report);
  if (target.startsWith('..') && !target.startsWith('../')) {
    report.invalid(path, target, "must not start with '..'");
  }
}

/** Permission bits of a file. */
export function validateFileMode(mode: number | undefined | null, path: FieldPath, report: Report): void {
  if (mode === undefined || mode === null || (mode >= 0 && mode <= 0o777)) return;
  report.invalid(path, mode, 'must be a number between 0 and 0777 (octal), both inclusive');
}
