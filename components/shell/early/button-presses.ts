import { LIVE } from './live'

const AGAIN_MS = 50
/** A button that React does not take over within 10 s of its start is not React's. */
const MOST_TRIES = 200

/**
 * Runs before hydration: keeps the last press of a button that React does not handle yet, and repeats it once React does.
 * Without it such a press is lost. React marks each element that it takes over with `__reactProps$` and a key. Menus open on
 * `pointerdown` and tabs on `mousedown`, so the whole press is repeated. Buttons that send a form are left to `FORMS_SCRIPT`.
 */
export const BUTTON_PRESSES_SCRIPT = `(function(){var pressed,timer,tries,d=document.documentElement.dataset,
isTaken=function(b){return d.${LIVE}!==undefined&&Object.keys(b).some(function(k){return k.indexOf('__reactProps$')===0})},
repeat=function(){clearTimeout(timer);var b=pressed;if(!b||d.${LIVE}===undefined)return;
if(!isTaken(b)){if(b.isConnected&&tries++<${MOST_TRIES})timer=setTimeout(repeat,${AGAIN_MS});return}
pressed=null;['pointerdown','mousedown','pointerup','mouseup'].forEach(function(kind){
b.dispatchEvent(new (kind[0]==='p'?PointerEvent:MouseEvent)(kind,{bubbles:true,cancelable:true,button:0,pointerType:'mouse'}))});
b.focus();b.click()};
addEventListener('click',function(e){pressed=null;var b=e.target.closest&&e.target.closest('button');
if(!b||e.button||isTaken(b)||b.form&&b.type==='submit')return;pressed=b;tries=0;repeat()},true);
addEventListener('${LIVE}',repeat)})()`
