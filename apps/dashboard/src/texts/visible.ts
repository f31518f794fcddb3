import { STEERING } from '@binnacle/trace';

/**
 * A text of an object in which nothing is hidden, and nothing shown in another place than it stands: `\u202e`. Ends of lines
 * and tabs stay.
 */
export function visible(text: string): string {
  return text.replaceAll(STEERING, (mark) =>
    mark === '\n' || mark === '\t' ? mark : `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
