import '@mantine/core/styles.css';
import './page.css';
import { createTheme, MantineProvider } from '@mantine/core';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { pageNonce } from './page-nonce.ts';
import { currentLanguage } from './texts/use-text.ts';

const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 8, dark: 7 },
  defaultRadius: 'md',
  autoContrast: true,
});

document.documentElement.lang = currentLanguage();
// The page came whole: the next one that does not has all its tries.
sessionStorage.removeItem('loads');
const root = document.querySelector('#root');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={pageNonce}>
        <App />
      </MantineProvider>
    </StrictMode>,
  );
}
