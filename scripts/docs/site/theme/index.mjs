import '@fontsource-variable/inter/wght.css'
import { withBase } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import { h } from 'vue'
import './style.css'

/** The generator takes a link to `/` for one to the start of the documentation. */
const ConsoleLink = () =>
  h('a', { class: 'console-link', href: withBase('/').replace(/docs\/$/, ''), target: '_self' }, 'Console')

export default {
  extends: DefaultTheme,
  enhanceApp: (/** @type {import('vitepress').EnhanceAppContext} */ { app }) =>
    app.component('ConsoleLink', ConsoleLink),
}
