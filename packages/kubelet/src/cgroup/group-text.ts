/** `/a/kubepods` → `["a" "kubepods"]`, as upstream names a group. */
export function groupText(path: string): string {
  const parts = path.split('/').filter((part) => part !== '');
  return `[${parts.map((part) => JSON.stringify(part)).join(' ')}]`;
}
