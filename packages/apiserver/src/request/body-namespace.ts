import { status } from '@binnacle/machinery';

/** Throws 400 for an object of another namespace than the one that the URL names; one that names none is of the URL's. */
export function checkBodyNamespace(
  { namespace: own = '' }: { readonly namespace?: string | undefined },
  namespace: string,
): void {
  if (own === '' || own === namespace) return;
  throw status.badRequest('the namespace of the provided object does not match the namespace sent on the request');
}
