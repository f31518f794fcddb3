import { access } from 'node:fs/promises';

/** The name of a system error: `ENOENT`; empty for what is none. */
export function codeOf(error: unknown): string {
  return (error as { readonly code?: string }).code ?? '';
}

/** Undefined where what was asked for is not there: nor is, to who has a file of it open, a control group that went. */
export async function orAbsent<T>(act: Promise<T>): Promise<T | undefined> {
  try {
    return await act;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ENODEV'].includes(codeOf(error))) return undefined;
    throw error;
  }
}

/** Whether something is there that may be looked at. */
export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    // Absent.
    () => false,
  );
}
