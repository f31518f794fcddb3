/** Says of an element that somebody writes in it: a page that is loaded again would lose that. */
export const DRAFT = 'data-draft';
