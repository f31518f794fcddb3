import { useSyncExternalStore } from 'react';
import { english } from './english.ts';
import type { Texts } from './english.ts';
import { korean } from './korean.ts';

/** Languages by their codes. */
const LANGUAGES: { readonly [code: string]: Texts } = { en: english, ko: korean };
const KEY = 'language';
const CHANGED = 'language-changed';

/** The code of the language that is shown: what was chosen, else the browser's. */
export function currentLanguage(): string {
  const chosen = localStorage.getItem(KEY) ?? navigator.language.slice(0, 2);
  return Object.hasOwn(LANGUAGES, chosen) ? chosen : 'en';
}

/** Shows everything in another language, now and from now on. */
export function chooseLanguage(code: string): void {
  localStorage.setItem(KEY, code);
  document.documentElement.lang = code;
  dispatchEvent(new Event(CHANGED));
}

function subscribe(listener: () => void): () => void {
  addEventListener(CHANGED, listener);
  return () => removeEventListener(CHANGED, listener);
}

/** The texts of the language that is shown. */
export function useText(): Texts {
  const code = useSyncExternalStore(subscribe, currentLanguage);
  return LANGUAGES[code] ?? english;
}
