/** The server's UIDs, hashes of manifests, and what a manifest may say: one step of a path, and one part of a log folder's name. */
const UID = /^[A-Za-z0-9][-A-Za-z0-9.]{0,127}$/;

/**
 * Whether a text can be a pod's UID. It names folders that are removed with all that is in them: what is read from a place where
 * others may write, or from a file, is asked first.
 */
export function isPodUid(text: string): boolean {
  return UID.test(text);
}
