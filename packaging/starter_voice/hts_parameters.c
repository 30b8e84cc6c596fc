/* Duration and parameter trajectories of an HTS voice, without making sound.
 *
 * A loaded voice is an opaque pointer. One call gives a line's state durations (5 ms frames, states of all labels
 * in order), mel-cepstra (frames x order), log F0 (frames; unvoiced frames hold -1e10) and the low-pass taps.
 */
#include <HTS_engine.h>
#include <stdlib.h>

/* Not in the public header, exported by the library: the engine's own accessors need generated samples first. */
size_t HTS_PStreamSet_get_vector_length(HTS_PStreamSet *pss, size_t stream);
size_t HTS_PStreamSet_get_total_frame(HTS_PStreamSet *pss);
double HTS_PStreamSet_get_parameter(HTS_PStreamSet *pss, size_t stream, size_t frame, size_t index);
HTS_Boolean HTS_PStreamSet_get_msd_flag(HTS_PStreamSet *pss, size_t stream, size_t frame);

HTS_Engine *hts_open(char *path) {
   HTS_Engine *engine = malloc(sizeof(HTS_Engine));
   HTS_Engine_initialize(engine);
   if (HTS_Engine_load(engine, &path, 1) != TRUE) {
      HTS_Engine_clear(engine);
      free(engine);
      return NULL;
   }
   return engine;
}

void hts_close(HTS_Engine *engine) {
   HTS_Engine_clear(engine);
   free(engine);
}

/* Returns the number of frames, or -1 when the labels are refused. The trajectories are kept until hts_forget. */
long hts_run(HTS_Engine *engine, char **labels, size_t count, double speed) {
   HTS_Engine_set_speed(engine, speed);
   if (HTS_Engine_generate_state_sequence_from_strings(engine, labels, count) != TRUE)
      return -1;
   if (HTS_Engine_generate_parameter_sequence(engine) != TRUE)
      return -1;
   return (long) HTS_PStreamSet_get_total_frame(&engine->pss);
}

size_t hts_width(HTS_Engine *engine, size_t stream) {
   return HTS_PStreamSet_get_vector_length(&engine->pss, stream);
}

void hts_read(HTS_Engine *engine, int *durations, float *cepstra, float *log_f0, float *lowpass) {
   HTS_PStreamSet *pss = &engine->pss;
   size_t frames = HTS_PStreamSet_get_total_frame(pss), states = HTS_Engine_get_total_state(engine);
   size_t order = hts_width(engine, 0), taps = hts_width(engine, 2), voiced = 0, t, i;
   for (i = 0; i < states; i++)
      durations[i] = (int) HTS_Engine_get_state_duration(engine, i);
   for (t = 0; t < frames; t++) {
      for (i = 0; i < order; i++)
         cepstra[t * order + i] = (float) HTS_PStreamSet_get_parameter(pss, 0, t, i);
      /* the log F0 stream holds voiced frames only */
      log_f0[t] = HTS_PStreamSet_get_msd_flag(pss, 1, t) ? (float) HTS_PStreamSet_get_parameter(pss, 1, voiced++, 0) : -1e10f;
   }
   for (i = 0; i < taps; i++)
      lowpass[i] = (float) HTS_PStreamSet_get_parameter(pss, 2, frames / 2, i);
}

void hts_forget(HTS_Engine *engine) {
   HTS_Engine_refresh(engine);
}

/* Makes the sound of the parameters of the last hts_run; returns how many samples hts_sound may copy. */
long hts_speak(HTS_Engine *engine) {
   return HTS_Engine_generate_sample_sequence(engine) == TRUE ? (long) HTS_Engine_get_nsamples(engine) : -1;
}

void hts_sound(HTS_Engine *engine, float *samples) {
   size_t i, count = HTS_Engine_get_nsamples(engine);
   for (i = 0; i < count; i++)
      samples[i] = (float) HTS_Engine_get_generated_speech(engine, i) / 32768;
}
