/**
 * Runs before the page arrives, and shows it as soon as it is there. React would keep its skeleton until 300 ms after it
 * was painted, a time that it keeps in `$RT`, so that skeletons do not flicker; most pages come sooner. And Next.js would
 * start the program as soon as its last part is there, often just before the page is painted, which then waits for it:
 * `__next_s` makes it wait for the first frame with the whole page instead, for 300 ms at most.
 */
export const FIRST_PAGE_SCRIPT = `Object.defineProperty(window,'$RT',{get:function(){},set:function(){}});
self.__next_s={length:1,reduce:function(){return new Promise(function(go){if(document.hidden)return go();
setTimeout(go,300);var framed=function(){requestAnimationFrame(function(){setTimeout(go)})};
if(document.readyState==='loading')addEventListener('DOMContentLoaded',framed);else framed()})}}`
