/**
 * A text of at most about `max` characters: its beginning, how many were left out, and its end, where messages say
 * what is wrong. For what clients sent and are told again: a reply is not larger than its request.
 */
export function boundedText(text: string, max: number): string {
  if (text.length <= max) return text;
  const tail = Math.floor(max / 4);
  const head = max - tail;
  return `${text.slice(0, head)}…(${text.length - max} characters)…${text.slice(text.length - tail)}`;
}
