import type { Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme'

import Diagram from './Diagram.vue'

/** The theme of VitePress, with diagrams. */
export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => void app.component('Diagram', Diagram),
} satisfies Theme
