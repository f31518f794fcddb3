/** Beyond it a generated name would be too long with five random characters. */
const BASE_MAX = 57;

/** The beginning of the name of a claim that is made for a pod; of long names both parts keep their share. */
export function claimNameBase(pod: string, claim: string): string {
  const full = `${pod}-${claim}-`;
  if (full.length <= BASE_MAX) return full;
  const cut = (part: string): string => part.slice(0, Math.floor((part.length * BASE_MAX) / full.length));
  return `${cut(pod)}-${cut(claim)}`;
}
