import { StatusError } from '@binnacle/machinery';

/**
 * Acts on one object after the other. What is refused for one of them, by somebody's policy or because it is not as it was,
 * keeps no other from its turn; the first such refusal is thrown in the end, so that it is tried again. Where the server
 * itself fails, or refuses the caller, nobody else is tried, and that is thrown at once.
 */
export async function actOnEach<T>(items: Iterable<T>, act: (item: T) => Promise<unknown>): Promise<void> {
  let refused: { readonly error: unknown } | undefined;
  for (const item of items) {
    try {
      await act(item);
    } catch (error) {
      if (!isAboutObject(error)) throw error;
      refused ??= { error };
    }
  }
  if (refused !== undefined) throw refused.error;
}

/** Whether the next object may fare better. */
function isAboutObject(error: unknown): boolean {
  if (!(error instanceof StatusError)) return false;
  const { code = 500, message = '' } = error.status;
  // Somebody's webhook that does not answer is asked about some objects only.
  if (code === 500 && message.includes('failed calling webhook')) return true;
  return code >= 400 && code < 500 && code !== 401 && code !== 429;
}
