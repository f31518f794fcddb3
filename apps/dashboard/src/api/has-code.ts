/** Whether something that was thrown is a refusal of the server with this HTTP code. */
export function hasCode(error: unknown, code: number): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
