/**
 * Loads the page again when a part that it starts with did not come: browsers drop what waits for a connection whenever an
 * address of their machine comes or goes, as with every container that starts, and the page would stay white.
 */
const LOADS = 'loads';
const LOADS_MAX = 5;
const PAUSE_MS = 400;

// Such errors do not bubble. Parts that are loaded later are no elements, and have tries of their own.
addEventListener(
  'error',
  ({ target }) => {
    if (!(target instanceof HTMLScriptElement || target instanceof HTMLLinkElement)) return;
    const loads = Number(sessionStorage.getItem(LOADS) ?? 0) + 1;
    if (loads > LOADS_MAX) {
      document.body.textContent = 'The dashboard did not load: is it still served? Load this page again to try.';
      return;
    }
    sessionStorage.setItem(LOADS, String(loads));
    setTimeout(() => location.reload(), PAUSE_MS * loads);
  },
  true,
);
