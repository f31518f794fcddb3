import { TAB_RULES } from '../object/tab-rules.ts';
import type { Texts } from '../texts/english.ts';
import { visible } from '../texts/visible.ts';
import type { Route } from './route.ts';

const PRODUCT = 'Binnacle';
/** Longer words say nothing more in a tab of the browser. */
const WORD_MAX = 80;

/**
 * What a page is called in the browser's tabs and history, and by who reads it out: the most of its own first. `kind`: of
 * what is looked at, as the server calls it; absent: it is none.
 */
export function titleOf(route: Route, text: Texts, kind = ''): string {
  const words = [...wordsOf(route, text), kind, PRODUCT].filter((word) => word !== '');
  return words.map((word) => visible(word).slice(0, WORD_MAX)).join(' · ');
}

function wordsOf(route: Route, text: Texts): readonly string[] {
  switch (route.page) {
    case 'overview':
      return [text.overview];
    case 'pauses':
      return [text.stepAndPause];
    case 'topology':
      return [text.topology, route.namespace];
    case 'lessons':
      return [route.name, text.lessons];
    case 'create':
      return [text.create];
    case 'list':
      return [route.namespace];
    case 'object':
      return [route.name, tabText(route.tab, text)];
  }
}

/** The first tab is the object itself. */
function tabText(tab: string, text: Texts): string {
  const rule = TAB_RULES.find(({ name }) => name === tab && name !== 'summary');
  return rule === undefined ? '' : text[rule.label];
}
