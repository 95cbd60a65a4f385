import { LIVE } from './live'

/**
 * Runs before hydration: opens a row of a list that is clicked before React handles clicks, and one that moved between press
 * and release, as rows do when a list is drawn again. Without it such a click is lost.
 */
export const ROW_CLICKS_SCRIPT = `(function(){var pressed,x,y;
addEventListener('pointerdown',function(e){pressed=e.target.closest&&e.target.closest('tr[data-key]');x=e.clientX;y=e.clientY},true);
addEventListener('click',function(e){var t=e.target,was=pressed;pressed=null;
if(e.defaultPrevented||e.button||!t.closest||String(getSelection()||''))return;
var row=t.closest('tr[data-key]');
if(row){if(document.documentElement.dataset.${LIVE}!==undefined||t.closest('a,button,input,select,label'))return}
else if(was&&t.closest('table')&&t.contains(was)&&Math.abs(e.clientX-x)<5&&Math.abs(e.clientY-y)<5)row=was;
var link=row&&row.querySelector('a[data-row]');if(link)link.click()})})()`
