import { LIVE } from './live'

const AGAIN_MS = 50

/**
 * Runs before hydration: keeps a form that is sent before React handles it, and sends it then. Without it the browser would
 * load the page again with the fields in its address, passwords among them. No form of ours has an address of its own.
 * Enter sends a form that is marked `data-enter` from its text area.
 */
export const FORMS_SCRIPT = `(function(){var sent,d=document.documentElement.dataset,send=function(){var form=sent;sent=null;if(form&&form.isConnected)form.requestSubmit()};
addEventListener('keydown',function(e){var t=e.target;if(d.${LIVE}!==undefined||e.key!=='Enter'||e.shiftKey||e.isComposing||!t.matches||!t.matches('form[data-enter] textarea'))return;
e.preventDefault();t.form.requestSubmit()});
addEventListener('submit',function(e){if(e.defaultPrevented||e.target.hasAttribute('action'))return;
e.preventDefault();sent=e.target;if(d.${LIVE}!==undefined)setTimeout(send,${AGAIN_MS})});
addEventListener('${LIVE}',send)})()`
